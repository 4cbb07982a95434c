// English texts of the report of a ride. Complete, like en.js.
export default {
  report: "Ride", no_such_ride: "There is no ride with this number. It may have been removed.",
  summary: "Summary", with_bike: "with {0}", recording_now: "is being recorded: numbers so far", was_interrupted: "recording was interrupted",
  by_hand: "entered by hand", was_edited: "shown in part", was_deleted: "deleted on {0}",
  elapsed_time: "Total time", max_speed: "Max speed", max_hr: "Max HR", max_power: "Max power", normalized_power: "Normalized power",
  avg_cadence: "Avg cadence", max_cadence: "Max cadence",
  from_part: "measured for {0} of {1}",
  sport_strength_training: "Strength",
  laps: "Laps", lap_number: "Lap {0}", lap_duration: "Time",
};

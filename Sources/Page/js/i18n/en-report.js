// English texts of the report of a ride. Complete, like en.js.
export default {
  report: "Ride", no_such_ride: "There is no ride with this number. It may have been removed.",
  summary: "Summary", with_bike: "with {0}", recording_now: "is being recorded: numbers so far", was_interrupted: "recording was interrupted",
  by_hand: "entered by hand", was_edited: "shown in part", was_deleted: "deleted on {0}",
  elapsed_time: "Total time", max_speed: "Max speed", max_hr: "Max HR", max_power: "Max power", normalized_power: "Normalized power",
  avg_cadence: "Avg cadence", max_cadence: "Max cadence",
  from_part: "measured for {0} of {1}",
  map_of_ride: "Map of the ride", color_by: "Color of the track",
  graphs: "Graphs", cursor: "Place in the ride", graph_stats: "min {0} · avg {1} · max {2} {3}",
  no_series: "Nothing was measured that could be drawn.",
  power_zones: "Power zones", power_curve: "Power curve",
  happenings: "Events and gaps", loss_of: "{0}: no values", shortened: "There were more events than this page lists.",
  gap_pause: "Paused for {0}", gap_interrupted: "Recording was interrupted for {0}", gap_lag: "Not recorded for {0}: the recorder was too slow",
  gap_storage: "Not recorded for {0}: the storage failed", gap_damaged: "{0} are damaged", gap_unknown: "No samples for {0}",
  event_hole: "{0}: {1} samples are missing", event_lag: "Samples are missing: the recorder was too slow",
  sensors: "Sensors", battery_left: "battery {0} %",
  laps: "Laps", lap_number: "Lap {0}", lap_duration: "Time",
};

// German texts of the report of a ride.
export default {
  report: "Fahrt", no_such_ride: "Es gibt keine Fahrt mit dieser Nummer. Vielleicht wurde sie entfernt.",
  summary: "Übersicht", with_bike: "mit {0}", recording_now: "wird aufgezeichnet: Zahlen bis jetzt", was_interrupted: "Aufzeichnung wurde unterbrochen",
  by_hand: "von Hand eingetragen", was_edited: "in Teilen gezeigt", was_deleted: "gelöscht am {0}",
  elapsed_time: "Gesamtzeit", max_speed: "Max Tempo", max_hr: "Max Puls", max_power: "Max Watt", normalized_power: "Normalisierte Leistung",
  avg_cadence: "Ø Kadenz", max_cadence: "Max Kadenz",
  from_part: "gemessen in {0} von {1}",
  sport_strength_training: "Kraft",
  laps: "Runden", lap_number: "Runde {0}", lap_duration: "Zeit",
};

// German texts of the report of a ride.
export default {
  report: "Fahrt", no_such_ride: "Es gibt keine Fahrt mit dieser Nummer. Vielleicht wurde sie entfernt.",
  summary: "Übersicht", with_bike: "mit {0}", recording_now: "wird aufgezeichnet: Zahlen bis jetzt", was_interrupted: "Aufzeichnung wurde unterbrochen",
  by_hand: "von Hand eingetragen", was_edited: "in Teilen gezeigt", was_deleted: "gelöscht am {0}",
  elapsed_time: "Gesamtzeit", max_speed: "Max Tempo", max_hr: "Max Puls", max_power: "Max Watt", normalized_power: "Normalisierte Leistung",
  avg_cadence: "Ø Kadenz", max_cadence: "Max Kadenz",
  from_part: "gemessen in {0} von {1}",
  map_of_ride: "Karte der Fahrt", color_by: "Farbe der Spur",
  graphs: "Kurven", cursor: "Stelle der Fahrt", graph_stats: "min {0} · Ø {1} · max {2} {3}",
  no_series: "Es wurde nichts gemessen, was sich zeichnen lässt.",
  power_zones: "Leistungszonen", power_curve: "Leistungskurve",
  happenings: "Ereignisse und Lücken", loss_of: "{0}: keine Werte", shortened: "Es gab mehr Ereignisse, als diese Seite zeigt.",
  gap_pause: "Pause von {0}", gap_interrupted: "Aufzeichnung für {0} unterbrochen", gap_lag: "{0} nicht aufgezeichnet: der Rekorder war zu langsam",
  gap_storage: "{0} nicht aufgezeichnet: der Speicher versagte", gap_damaged: "{0} sind beschädigt", gap_unknown: "Keine Werte für {0}",
  event_hole: "{0}: {1} Werte fehlen", event_lag: "Werte fehlen: der Rekorder war zu langsam",
  sensors: "Sensoren", battery_left: "Akku {0} %",
  laps: "Runden", lap_number: "Runde {0}", lap_duration: "Zeit",
};

// German. A missing key falls back to English.
import coach from "./de-coach.js";
import guidance from "./de-guidance.js";
import map from "./de-map.js";
import pages from "./de-pages.js";
import report from "./de-report.js";
import rides from "./de-rides.js";
import riding from "./de-riding.js";
import routes from "./de-routes.js";
import segments from "./de-segments.js";
import wall from "./de-wall.js";
import week from "./de-week.js";

export default {
  ...coach, ...guidance, ...map, ...pages, ...report, ...rides, ...riding, ...routes, ...segments, ...wall, ...week,
  speed: "Tempo", pace: "Pace", cadence: "Kadenz", power: "Leistung", heart_rate: "Puls",
  zone: "Zone", zone_1: "Erholung", zone_2: "Ausdauer", zone_3: "Tempo", zone_4: "Schwelle", zone_5: "VO₂max",
  ride_time: "Fahrzeit", distance: "Strecke", elevation: "Anstieg", grade: "Steigung",
  energy: "Energie", lap: "Runde", clock: "Uhr", tires: "Reifen", hrv: "HRV", breathing: "Atmung",
  oxygen: "SpO₂", muscle: "Muskel-O₂", body_temperature: "Kern", environment: "Luft",
  battery: "Akkus", position: "GPS", radar: "Radar", bike: "Rad",
  avg: "Ø", max: "Max", moving: "Bewegt", work: "Arbeit", altitude: "Höhe", descent: "Abstieg",
  avg_power: "Ø Watt", avg_hr: "Ø Puls", avg_speed: "Ø Tempo", np: "NP", s10: "10 s", s60: "60 s",
  pulse: "Puls", skin: "Haut", humidity: "Feuchte", air_pressure: "Druck", accuracy: "Genau",
  sdnn: "SDNN", alpha1: "Alpha1", thb: "THb", vam: "VAM", lap_time: "Runde",
  lost: "Verloren", searching: "Sucht", unknown: "Fehlt", wait: "Warten", wheel_size: "Radumfang",
  rider: "Fahrer", pair_again: "Neu koppeln", error: "Fehler", newer: "Braucht eine neuere Version",
  paused_word: "Pause", paused_sign: "‖",
  cut_off: "Keine Verbindung", no_daemon: "Kein Sensordienst", start: "Start", stop: "Stopp", resume: "Weiter", lap_button: "Runde",
  dashboard: "Anzeige", rides: "Fahrten", settings: "Optionen", status: "Status",
  car: "Auto", fast_car: "Schnelles Auto", radar_lost: "Radar verloren",
  of_devices: "{0} von {1} Geräten", seconds_old: "{0} alt", gps: "GPS",
  good: "gut", okay: "mäßig", bad: "schlecht", none: "keins",
};

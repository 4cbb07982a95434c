// English: complete. Keys by meaning.
import coach from "./en-coach.js";
import guidance from "./en-guidance.js";
import map from "./en-map.js";
import pages from "./en-pages.js";
import report from "./en-report.js";
import rides from "./en-rides.js";
import riding from "./en-riding.js";
import routes from "./en-routes.js";
import segments from "./en-segments.js";
import wall from "./en-wall.js";
import week from "./en-week.js";

export default {
  ...coach, ...guidance, ...map, ...pages, ...report, ...rides, ...riding, ...routes, ...segments, ...wall, ...week,
  speed: "Speed", pace: "Pace", cadence: "Cadence", power: "Power", heart_rate: "Heart rate",
  zone: "Zone", zone_1: "recovery", zone_2: "endurance", zone_3: "tempo", zone_4: "threshold", zone_5: "VO₂ max",
  ride_time: "Ride time", distance: "Distance", elevation: "Ascent", grade: "Grade",
  energy: "Energy", lap: "Lap", clock: "Clock", tires: "Tires", hrv: "HRV", breathing: "Breathing",
  oxygen: "SpO₂", muscle: "Muscle O₂", body_temperature: "Core", environment: "Air",
  battery: "Batteries", position: "GPS", radar: "Radar", bike: "Bike",
  avg: "Avg", max: "Max", moving: "Moving", work: "Work", altitude: "Elevation", descent: "Descent",
  avg_power: "Avg power", avg_hr: "Avg HR", avg_speed: "Avg speed", np: "NP", s10: "10 s", s60: "60 s",
  pulse: "Pulse", skin: "Skin", humidity: "Humidity", air_pressure: "Pressure", accuracy: "Accuracy",
  sdnn: "SDNN", alpha1: "Alpha1", thb: "THb", vam: "VAM", lap_time: "Lap",
  lost: "Lost", searching: "Searching", unknown: "No sensor", wait: "Wait", wheel_size: "Wheel size",
  rider: "Rider", pair_again: "Pair again", error: "Error", newer: "Needs a newer version",
  paused_word: "Paused", paused_sign: "‖",
  cut_off: "No connection", no_daemon: "No sensor service", start: "Start", stop: "Stop", resume: "Resume", lap_button: "Lap",
  dashboard: "Dashboard", rides: "Rides", settings: "Settings", status: "Status",
  car: "Car", fast_car: "Fast car", radar_lost: "Radar lost",
  of_devices: "{0} of {1} devices", seconds_old: "{0} old", gps: "GPS",
  good: "good", okay: "okay", bad: "bad", none: "none",
};

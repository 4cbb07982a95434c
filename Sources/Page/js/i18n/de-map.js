// German texts of maps.
export default {
  map: "Karte", map_in: "Vergrößern", map_out: "Verkleinern", map_all: "Ganze Fahrt zeigen", map_me: "Meinen Ort zeigen",
  map_empty: "Es wurden keine Positionen aufgezeichnet.", map_start: "S", map_finish: "Z", map_north: "N",
  map_N: "N", map_E: "O", map_S: "S", map_W: "W",
  map_north_up: "Norden ist oben", map_course_up: "Die Fahrtrichtung ist oben",
  map_legend: "{0}: niedrigster Wert {1}, höchster Wert {2}",
  map_sentence: "{0}, ab {1}", map_highest: "höchster Punkt {0} bei {1}",
  map_accuracy: "auf {0} genau", map_heading: "Richtung {0} Grad",
};

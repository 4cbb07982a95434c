// German texts of maps.
export default {
  map: "Karte", map_in: "Vergrößern", map_out: "Verkleinern", map_all: "Ganze Fahrt zeigen", map_me: "Meinen Ort zeigen",
  map_empty: "Es wurden keine Positionen aufgezeichnet.", map_start: "S", map_finish: "Z", map_north: "N",
  map_N: "N", map_E: "O", map_S: "S", map_W: "W",
  map_north_up: "Norden ist oben", map_course_up: "Die Fahrtrichtung ist oben",
  map_legend: "{0}: niedrigster Wert {1}, höchster Wert {2}",
  map_sentence: "{0}, ab {1}", map_highest: "höchster Punkt {0} bei {1}",
  maps: "Karten", map_file: "Name", map_file_size: "Größe", map_zooms: "Zoomstufen", map_source: "Quelle",
  maps_none: "Es gibt keine Karte. Strecken werden auf einem einfachen Gitter gezeichnet.",
  maps_add: "Um eine Datei mit Kartenkacheln hinzuzufügen, führe auf dem Computer des Rads diesen Befehl aus: cyclo map add DATEI",
  leaflet_text: "Leaflet von Vladimir Agafonkin und CloudMade, 2-Klausel-BSD-Lizenz. Karten nennen ihre Quelle selbst.",
  map_accuracy: "auf {0} genau", map_heading: "Richtung {0} Grad",
};

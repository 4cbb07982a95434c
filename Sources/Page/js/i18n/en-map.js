// English texts of maps. Complete, like en.js.
export default {
  map: "Map", map_in: "Zoom in", map_out: "Zoom out", map_all: "Show the whole ride", map_me: "Show where I am",
  map_empty: "No positions were recorded.", map_start: "S", map_finish: "F", map_north: "N",
  map_N: "N", map_E: "E", map_S: "S", map_W: "W",
  map_north_up: "North is up", map_course_up: "The direction of travel is up",
  map_legend: "{0}: lowest {1}, highest {2}",
  map_sentence: "{0}, from {1}", map_highest: "highest point {0} at {1}",
  maps: "Maps", map_file: "Name", map_file_size: "Size", map_zooms: "Zoom levels", map_source: "Source",
  maps_none: "No maps yet. Tracks are drawn on a plain grid.",
  maps_add: "To add a file of map tiles, run this command on the computer of the bike: cyclo map add FILE",
  leaflet_text: "Leaflet by Vladimir Agafonkin and CloudMade, 2-clause BSD license. Maps name their own source.",
  map_accuracy: "accurate to {0}", map_heading: "heading {0} degrees",
};

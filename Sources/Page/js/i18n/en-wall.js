// English texts of the wall.
export default {
  wall: "All bikes", wall_count: "{0} of {1} bikes are here.", wall_none: "No bike has sent anything yet.",
  wall_online: "Here", wall_blind: "No sensor service", wall_stopped: "Switched off", wall_lost: "Lost",
  wall_cut_off: "No connection to the server of this page.",
  wall_no_bridge: "No bridge: {0}.", wall_no_broker: "The bridge has no broker: {0}.",
  wall_refused: "The broker does not let the bridge read {0}.",
  wall_road_clear: "Road clear", wall_road_lost: "Radar silent", wall_road_searching: "Radar: searching",
  wall_car: "1 car, {0}", wall_cars: "{0} cars, nearest {1}", wall_fast: "{0}, fast",
};

// German texts of the wall.
export default {
  wall: "Alle Räder", wall_count: "{0} von {1} Rädern sind da.", wall_none: "Noch hat kein Rad etwas gesendet.",
  wall_online: "Da", wall_blind: "Kein Sensordienst", wall_stopped: "Ausgeschaltet", wall_lost: "Verloren",
  wall_cut_off: "Keine Verbindung zum Server dieser Seite.",
  wall_no_bridge: "Keine Bridge: {0}.", wall_no_broker: "Die Bridge hat keinen Broker: {0}.",
  wall_refused: "Der Broker lässt die Bridge {0} nicht lesen.",
  wall_road_clear: "Straße frei", wall_road_lost: "Radar stumm", wall_road_searching: "Radar: sucht",
  wall_car: "1 Auto, {0}", wall_cars: "{0} Autos, nächstes {1}", wall_fast: "{0}, schnell",
};

// German texts of segments.
export default {
  segments: "Segmente", segments_hint: "Ein Segment ist ein Stück Weg, das du immer wieder fährst. Alle Fahrten werden danach durchsucht.",
  segment_mark: "Segment markieren", segment_from: "Beginnt bei", segment_to: "Endet bei", segment_part: "{0} in {1}", segment_name: "Name des Segments",
  segment_save: "Segment speichern", segment_saved: "{0} wurde gespeichert. Ältere Fahrten werden durchsucht.", segment_needs_name: "Ein Segment braucht einen Namen.",
  segment_times: "{0}, beste Zeit {1}, {2}-mal gefahren", segment_times_1: "{0}, einmal gefahren: {1}", segment_times_0: "{0}, noch nicht gefahren", segment_here: "Diese Fahrt: {0}",
  effort_date: "Fahrt", effort_time: "Zeit", effort_best: "beste", effort_last: "letzte", effort_here: "diese Fahrt", efforts_more: "Ältere Zeiten sind nicht aufgeführt.",
  segment_rename: "Umbenennen", segment_delete: "Halten zum Löschen des Segments", no_segments: "Noch keine Segmente.",
  segment_propose: "Oft gefahrene Teile suchen", segment_searching: "Ältere Fahrten werden verglichen …", no_proposals: "Kein Teil von 500 m oder mehr wurde dreimal so gefahren.",
  segment_proposal: "{0} von {1} bis {2}, {3}-mal gefahren", segment_take: "Markieren",
};

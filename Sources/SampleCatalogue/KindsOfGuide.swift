// The kinds that the guide publishes as the sensor `guide`, on its own socket.

extension KindInfo {
  static let ofGuide: [KindInfo] = [
    KindInfo(
      "route", "Where the rider is on the followed route.",
      needs: .all(["route", "name", "state", "distance_m", "distance_to_go_m"]),
      [
        FieldInfo("route", .count(1...), "1", "Id of the route in the logbook."),
        FieldInfo("name", .text(), "Name of the route."),
        FieldInfo(
          "state", .words(["approaching", "on_route", "off_route", "reversed", "finished"]),
          "`approaching` before the rider reaches the route, `reversed` against its direction."),
        FieldInfo("distance_m", .number(0...), "m", "Distance along the route, from its start."),
        FieldInfo("distance_to_go_m", .number(0...), "m", "Distance along the route to its end."),
        FieldInfo("cross_track_m", .number(0...), "m", "Distance from the nearest point of the route."),
        FieldInfo("bearing_deg", .number(0...360), "deg", "Direction to it, from north; only away from the route."),
        FieldInfo("lap", .count(1...), "1", "Lap of a loop that is ridden several times."),
        FieldInfo("cue", .text(), "Kind of the next cue, such as `left`; only on the route."),
        FieldInfo("cue_text", .text(), "What the file of the route says at the next cue."),
        FieldInfo("cue_distance_m", .number(0...), "m", "Distance to the next cue."),
        FieldInfo("climb_distance_m", .number(0...), "m", "Distance to the start of the next climb; 0 on a climb."),
        FieldInfo("climb_to_top_m", .number(0...), "m", "Distance to the top of that climb."),
        FieldInfo("climb_length_m", .number(0...), "m", "Length of that climb."),
        FieldInfo("climb_ascent_m", .number(0...), "m", "Height from the start of that climb to its top."),
        FieldInfo("climb_ascent_to_go_m", .number(0...), "m", "Height left to its top."),
        FieldInfo("climb_grade_pct", .number(), "%", "Average slope of that climb."),
        FieldInfo(
          "climb_profile_m", .numbers(), "m", "Altitudes at equal distances from the start of that climb to its top."),
      ]),
    KindInfo(
      "segment", "The segment that the rider is on, or comes to.",
      needs: .all(["segment", "name", "state", "length_m"]),
      [
        FieldInfo("segment", .count(1...), "1", "Id of the segment in the logbook."),
        FieldInfo("name", .text(), "Name of the segment."),
        FieldInfo(
          "state", .words(["approaching", "on", "finished", "left", "lost"]),
          "`left` if the rider left it before its end, `lost` if positions were missing for too long."),
        FieldInfo("length_m", .number(0...), "m", "Length of the segment."),
        FieldInfo("start_distance_m", .number(0...), "m", "Distance to its start; only while `approaching`."),
        FieldInfo("start_bearing_deg", .number(0...360), "deg", "Direction to its start, from north; absent there."),
        FieldInfo("distance_m", .number(0...), "m", "Distance along the segment, from its start."),
        FieldInfo("distance_to_go_m", .number(0...), "m", "Distance along the segment to its end."),
        FieldInfo("time_s", .number(0...), "s", "Time since its start, or from its start to its end if `finished`."),
        FieldInfo("ahead_of_best_s", .number(), "s", "Lead over the best effort at this place; negative if behind."),
        FieldInfo("ahead_of_last_s", .number(), "s", "The same for the last effort."),
        FieldInfo("best_time_s", .number(0...), "s", "Time of the best effort before this one."),
        FieldInfo("last_time_s", .number(0...), "s", "Time of the last effort before this one."),
      ]),
    KindInfo(
      "coach", "The cadence to run or ride at.",
      needs: .all(["sport", "target_per_min"]),
      [
        FieldInfo("sport", .words(["running", "cycling"]), "What the target is for."),
        FieldInfo("target_per_min", .number(0...), "1/min", "Steps or turns of the crank per minute to aim at."),
        FieldInfo("actual_per_min", .number(0...), "1/min", "Current cadence; only while it is measured."),
        FieldInfo("deviation_per_min", .number(), "1/min", "The current cadence minus the target."),
        FieldInfo("speed_mps", .number(0...), "m/s", "Speed that the target of a runner is for."),
        FieldInfo("uses_height", .flag, "Whether the target of a runner is corrected for their height."),
      ]),
  ]
}

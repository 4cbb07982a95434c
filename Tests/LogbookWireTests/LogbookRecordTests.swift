// Records and replies of logbook.sock are written as they are read.

import JSON
import LogbookWire
import Testing
import Wire

@Suite struct LogbookRecordTests {
  private func roundTrip<Value: WireValue>(_ type: Value.Type, _ text: String) throws {
    let value = try #require(Value(wire: JSONValue.parse(text)))
    var writer = JSONWriter()
    value.write(into: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  static let activity =
    #"{"id":12,"version":3,"state":"complete","source":"recorded","sport":"cycling","name":"Alps","note":"hot","#
    + #""bike":"Gravel","start":"2026-05-03T07:30:00.000Z","utc_offset_s":7200,"elapsed_time_s":9000,"#
    + #""ride_time_s":8000,"moving_time_s":7800,"distance_m":61200.5,"ascent_m":830,"descent_m":820,"work_j":1500000,"#
    + #""energy_kcal":1700,"coasting_time_s":600,"speed_avg_mps":7.8,"speed_max_mps":18.1,"cadence_avg_rpm":84,"#
    + #""cadence_max_rpm":121,"power_avg_w":192,"power_max_w":830,"normalized_power_w":221,"bpm_avg":141,"bpm_max":178,"#
    + #""balance_avg_pct":49.5,"cars_passed":31,"intensity_factor":0.85,"training_stress_score":160,"#
    + #""heart_rate_load":150,"training_load":160,"laps":4,"track":true,"edited":true,"deleted":"2026-06-03T07:30:00.000Z"}"#

  @Test("an activity keeps every member")
  func wholeActivity() throws {
    try roundTrip(ActivityRecord.self, Self.activity)
    try roundTrip(ActivitiesReply.self, #"{"activities":[\#(Self.activity)],"more":true}"#)
  }

  @Test("an activity without an id, a version or a state is not understood")
  func incompleteActivity() throws {
    for text in [#"{"version":1,"state":"complete"}"#, #"{"id":1,"state":"complete"}"#, #"{"id":1,"version":1}"#] {
      #expect(ActivityRecord(try JSONValue.parse(text)) == nil)
    }
  }

  @Test("the detail of an activity keeps every member")
  func detail() throws {
    try roundTrip(
      ActivityDetail.self,
      #"{"id":1,"version":1,"state":"interrupted","zone_times_s":[0,60,30],"zone_floors_bpm":[100,120],"#
        + #""power_zone_times_s":[1,2,3,4,5,6,7],"power_curve":[{"duration_s":5,"power_w":700}],"#
        + #""gaps":[{"from_s":60,"to_s":75.5,"reason":"interrupted"}],"#
        + #""events":[{"at_s":61,"event":"state","sensor":"strap","state":"stale"}],"#
        + #""sensors":[{"sensor":"strap","name":"Strap","kinds":["heart_rate"],"battery_pct":80,"#
        + #""facts":{"manufacturer":"Polar"}}],"shortened":true}"#)
  }

  @Test(
    "replies keep every member",
    arguments: [
      #"{"laps":[{"lap":1,"start_s":0,"lap_time_s":600,"trigger":"manual","distance_m":5000}],"more":true}"#
    ])
  func laps(_ text: String) throws {
    try roundTrip(ActivityLapsReply.self, text)
  }

  @Test("the status, statistics, routes, segments and efforts keep every member")
  func otherReplies() throws {
    try roundTrip(
      LogbookStatusReply.self,
      #"{"release":"0.4.0","recording":12,"connected":true,"storage":"low","message":"m","hours_left":3.5,"#
        + #""sync_p99_ms":42,"activities":200,"interrupted":11,"export_folder":"/x","export_message":"full"}"#)
    try roundTrip(
      StatisticsReply.self,
      #"{"rows":[{"period":"2026-W18","activities":3,"moving_time_s":7200,"distance_m":50000,"ascent_m":600,"#
        + #""work_j":1000,"energy_kcal":900,"training_stress_score":120,"training_load":150.5,"#
        + #""without_load":1}],"more":true}"#)
    try roundTrip(
      FitnessReply.self,
      #"{"rows":[{"day":"2026-05-03","training_load":142.5,"fitness":61.2,"fatigue":70.4,"form":-5.1}],"#
        + #""activities":1,"without_load":0,"more":true}"#)
    let best = #"{"activity":12,"start":"2026-05-03T07:30:00.000Z","#
    try roundTrip(
      RecordsReply.self,
      #"{"sports":[{"sport":"cycling","activities":150,"longest":\#(best)"moving_time_s":9000},"#
        + #""farthest":\#(best)"distance_m":61200},"fastest":\#(best)"speed_avg_mps":9.1},"#
        + #""most_ascent":\#(best)"ascent_m":900},"best_powers":[{"duration_s":5,"power_w":812,"activity":31,"#
        + #""start":"2026-05-03T07:30:00.000Z"}]}],"#
        + #""streaks":{"days":{"current":0,"longest":12,"from":"2026-05-01","to":"2026-05-12"},"#
        + #""weeks":{"current":20,"longest":52,"from":"2025-06-02","to":"2026-05-31"}},"more":true}"#)
    try roundTrip(
      RoutesReply.self,
      #"{"routes":[{"id":1,"name":"Home","distance_m":9000,"ascent_m":90,"descent_m":80,"points":900,"cues":12,"#
        + #""added":"2026-05-03T07:30:00.000Z"}]}"#)
    try roundTrip(
      SegmentsReply.self,
      #"{"segments":[{"id":1,"name":"Climb","distance_m":900,"ascent_m":90,"efforts":3,"best_time_s":180,"#
        + #""activity_time_s":181.5}]}"#)
    try roundTrip(
      EffortsReply.self,
      #"{"efforts":[{"segment":1,"activity":12,"start_s":60,"start":"2026-05-03T07:30:00.000Z","time_s":181.5,"#
        + #""power_avg_w":300,"bpm_avg":170}],"more":true}"#)
    try roundTrip(
      PutReply.self, #"{"bytes":90000,"added":[13,14],"routes":[2],"warnings":["w"],"duplicate_of":[3]}"#)
    try roundTrip(TransferReply.self, #"{"transfer":4,"name":"a.fit","left_out":["RR intervals"]}"#)
  }

  @Test("what series, track and route transfer keeps gaps and missing numbers")
  func documents() throws {
    try roundTrip(
      SeriesDocument.self,
      #"{"id":1,"step_s":15,"pieces":[{"start_s":0,"fields":[{"field":"power_w","min":[0,null],"mean":[100.5,null],"#
        + #""max":[200,null]}]}]}"#)
    try roundTrip(
      TrackDocument.self,
      #"{"id":1,"pieces":[{"points":[{"at_s":0,"distance_m":0,"latitude_deg":47.1,"longitude_deg":8.2,"#
        + #""altitude_m":400}]}]}"#)
    try roundTrip(
      RouteDocument.self,
      #"{"route":{"id":1,"name":"Home"},"points":[{"latitude_deg":47.1,"longitude_deg":8.2}],"#
        + #""cues":[{"distance_m":120,"kind":"left","text":"Mill Road"}]}"#)
  }

  @Test("records keep every member")
  func records() throws {
    try roundTrip(DataRecord.self, #"{"class":"data","transfer":1,"offset":0,"base64":"Zm9v"}"#)
    try roundTrip(DataRecord.self, #"{"class":"data","transfer":1,"offset":3,"base64":"","end":true,"bytes":3}"#)
    try roundTrip(ActivityChangeRecord.self, #"{"class":"activity","change":"removed","id":12}"#)
    try roundTrip(SegmentChangeRecord.self, #"{"class":"segment","change":"changed","id":3}"#)
    try roundTrip(RouteChangeRecord.self, #"{"class":"route","change":"changed","id":4}"#)
    try roundTrip(
      ActivityChangeRecord.self,
      #"{"class":"activity","change":"ended","id":12,"activity":\#(Self.activity)}"#)
    try roundTrip(
      LogbookEventRecord.self,
      #"{"class":"event","event":"hole","time":"2026-05-03T07:30:00.000Z","activity":12,"message":"3 s"}"#)
    try roundTrip(
      LogbookHelloRecord.self,
      #"{"class":"hello","logbook":"1.0","release":"0.4.0","instance":"a1","limits":{"line":65536,"clients":32}}"#)
  }

  @Test("the last piece counts the bytes of the whole")
  func lastPiece() {
    let record = DataRecord(transfer: 1, offset: 45_000, [1, 2, 3], isLast: true)
    #expect(record.totalBytes == 45_003)
    #expect(DataRecord(transfer: 1, offset: 0, [1], isLast: false).totalBytes == nil)
  }

  @Test("a piece whose Base64 is wrong is not understood")
  func wrongPiece() throws {
    #expect(DataRecord(try JSONValue.parse(#"{"class":"data","transfer":1,"offset":0,"base64":"Zg"}"#)) == nil)
  }
}

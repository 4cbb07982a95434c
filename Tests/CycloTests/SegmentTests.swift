// `cyclo segment` against a scripted recorder.

import Testing

@Suite struct SegmentTests {
  private func run(_ script: StandInDaemon.Script, _ words: String...) throws -> Outcome {
    let recorder = try StandInDaemon(script, socket: "logbook.sock", greetings: [LogbookTests.hello])
    defer { recorder.stop() }
    return try RunningCyclo(["segment"] + words, socket: recorder.controlSocket).finish()
  }

  @Test("times that no ride can have are shown as years")
  func implausible() throws {
    let list = try run(
      ["segments": [[.reply(#"{"segments":[{"id":1,"name":"Hill","distance_m":500,"best_time_s":1e300}]}"#)]]], "list")
    #expect(list.status == 0 && list.output.contains("years"), "\(list)")
    let efforts = #"{"efforts":[{"segment":1,"activity":2,"start_s":1e300,"time_s":1e300}]}"#
    let show = try run(["efforts": [[.reply(efforts)]]], "show", "1")
    #expect(show.status == 0 && show.output.contains("years"), "\(show)")
    let proposals = #"{"proposals":[{"activity":2,"from_s":1e300,"to_s":1e300,"distance_m":500,"times":3}]}"#
    let propose = try run(["segment_propose": [[.reply(proposals)]]], "propose")
    #expect(propose.status == 0 && propose.output.contains("years-years"), "\(propose)")
  }

  @Test("efforts are dated by the local day of their ride")
  func days() throws {
    let late =
      #"{"segment":1,"activity":2,"start_s":0,"start":"2026-05-02T22:30:00.000Z","utc_offset_s":7200,"#
      + #""time_s":60}"#
    let early = #"{"segment":1,"activity":1,"start_s":0,"start":"2026-05-01T22:30:00.000Z","time_s":60}"#
    let show = try run(["efforts": [[.reply(#"{"efforts":[\#(late),\#(early)]}"#)]]], "show", "1")
    #expect(show.lines.dropFirst().map { String($0.prefix(10)) } == ["2026-05-03", "2026-05-01"], "\(show)")
  }

  @Test("add needs a part with a start and an end")
  func openPart() throws {
    let outcome = try run([:], "add", "1", "10:00-", "Hill")
    #expect(outcome.status == 2)
    #expect(outcome.complaint.contains("'10:00-': a PART needs a start and an end, such as 10:00-15:30"), "\(outcome)")
  }
}

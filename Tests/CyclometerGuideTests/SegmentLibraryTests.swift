// Which segments of the logbook the guide keeps, with a recorder that a test plays.

import EventLoop
import LogbookWire
import ProgramKit
import Segments
import Testing
import Time
import Wire

@testable import GuideCore

final class SegmentLibraryTests {
  private let loop: EventLoop
  private let recorder: PlayedRecorder
  private var library: SegmentLibrary?
  private var lines: [String] = []
  /// What was passed on last.
  private var segments: [NamedSegment] = []
  private var completions = 0
  private var linkChanges = 0
  /// The routes that may have changed.
  private var routes: [Int?] = []

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
    recorder = try PlayedRecorder(loop)
  }

  deinit {
    library?.stop()
    recorder.stop()
  }

  private func start(room: Int = SegmentLibrary.mostPoints) throws {
    try recorder.start()
    let log = Log { [weak self] in self?.lines.append($0) }
    library = SegmentLibrary(
      from: recorder.path, in: loop, log: log, room: room,
      completion: { [weak self] in
        self?.segments = $0
        self?.completions += 1
      }, linkChanged: { [weak self] in self?.linkChanges += 1 },
      routeChanged: { [weak self] in self?.routes.append($0) })
    library?.start()
    try run(for: .seconds(1))
  }

  private func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }
  private var ids: [Int] { segments.map(\.segment.id) }

  @Test("only the newest segments are read for which there is room, and older ones when newer ones go")
  func room() throws {
    for id in 1...6 { recorder.add(id, points: 20) }
    try start(room: 70)
    #expect(ids == [6, 5, 4] && recorder.asked == [6, 5, 4, 3])
    let warnings = lines.filter { $0.contains("only the newest 3 are recognized") }
    #expect(warnings.count == 1, "\(lines)")
    // The same again: no warning, and nothing is read again.
    recorder.forgetAsked()
    recorder.segments[0].name = "Renamed"
    recorder.announce(.changed, 6)
    try run(for: .seconds(2))
    #expect(completions == 2 && recorder.asked == [6] && lines.count == warnings.count, "\(lines)")
    // A newer one takes the place of the oldest one.
    recorder.add(7, points: 45)
    recorder.announce(.added, 7)
    try run(for: .seconds(2))
    #expect(ids == [7, 6] && lines.last?.contains("newest 2") == true)
    recorder.segments.removeAll { $0.id >= 6 }
    recorder.announce(.removed, 7)
    try run(for: .seconds(2))
    #expect(ids == [5, 4, 3] && lines.last?.contains("newest 3") == true)
  }

  @Test("a route that has changed is passed on, and after a silence any may have changed")
  func routeChanges() throws {
    try start()
    #expect(routes == [nil])
    recorder.announce(.changed, route: 4)
    try run(for: .seconds(1))
    #expect(routes == [nil, 4])
    recorder.stop()
    try run(for: .seconds(1))
    try recorder.start()
    try run(for: .seconds(60))
    #expect(routes == [nil, 4, nil])
  }

  @Test("of more than 500 segments, the newest 500 are recognized")
  func many() throws {
    for id in 1...520 { recorder.add(id, points: 8) }
    try start()
    #expect(segments.count == SegmentLibrary.mostSegments && ids.first == 520 && ids.last == 21)
    #expect(lines.count == 1 && lines[0].contains("only the newest 500 are recognized"), "\(lines)")
  }

  @Test("a document that is not understood is logged, and the others are read")
  func notUnderstood() throws {
    for id in 1...6 { recorder.add(id, points: 20) }
    recorder.documents[6] = "{"
    recorder.documents[5] = "[]"
    recorder.documents[4] = #"{"segment":{"id":4,"name":"Short"},"points":[{"latitude_deg":1,"longitude_deg":1}]}"#
    recorder.refusals[3] = Refusal(.noSuchActivity, "gone")
    try start()
    #expect(ids == [2, 1] && completions == 1)
    for id in 4...6 { #expect(lines.contains { $0.contains("segment \(id): not recognized") }, "\(lines)") }
    try run(for: .seconds(300))
    #expect(recorder.asked == [6, 5, 4, 3, 2, 1], "none is read again while nothing changes")
    recorder.documents[6] = recorder.documents[2]?.replacing("\"id\":2", with: "\"id\":6")
    recorder.announce(.changed, 6)
    try run(for: .seconds(2))
    #expect(ids == [6, 2, 1])
  }

  @Test("times that no rider has are not compared with")
  func implausibleTimes() throws {
    let times = ["1e300", "1e6", "0", "-5", "40"]
    for (index, time) in times.enumerated() {
      recorder.add(index + 1, points: 20)
      let effort = #"{"effort":{"segment":1,"activity":1,"start_s":0,"time_s":\#(time)}}"#
      let document = recorder.documents[index + 1] ?? ""
      recorder.documents[index + 1] = document.dropLast() + #","best":\#(effort),"last":\#(effort)}"#
    }
    try start()
    #expect(segments.map(\.segment.bestTimeS) == [40, nil, nil, nil, nil])
    #expect(segments.map(\.segment.lastTimeS) == [40, nil, nil, nil, nil])
  }

  @Test("efforts that changed are read although the recorder refused or was gone meanwhile")
  func interruptedChange() throws {
    for id in 1...2 { recorder.add(id, points: 20) }
    try start()
    recorder.forgetAsked()
    recorder.refusals[2] = Refusal(.storage, "the disk is full")
    recorder.announce(.changed, 1)
    recorder.announce(.changed, 2)
    try run(for: .seconds(5))
    #expect(recorder.asked == [2] && ids == [2, 1], "what was read before stays")
    recorder.refusals = [:]
    try run(for: .seconds(70))
    #expect(recorder.asked == [2, 2, 1] && completions == 2)
    recorder.refusals[1] = Refusal(.storage, "the disk is full")
    recorder.announce(.changed, 1)
    try run(for: .seconds(5))
    recorder.stop()
    try run(for: .seconds(5))
    recorder.refusals = [:]
    try recorder.start()
    try run(for: .seconds(60))
    #expect(recorder.asked == [2, 2, 1, 1, 1] && completions == 3)
  }

  @Test("a recorder that comes and goes is reported once each time")
  func comesAndGoes() throws {
    try start()
    #expect(linkChanges == 1 && completions == 1)
    recorder.stop()
    try run(for: .seconds(120))
    #expect(linkChanges <= 3 && lines.count <= 2, "\(lines)")
    let before = linkChanges
    try recorder.start()
    try run(for: .seconds(120))
    #expect(linkChanges == before + 1 && completions == 2)
  }
}

// How long a connect lasts, and when it is cancelled. Sensors that rarely advertise need two
// adverts, and a cancel at the moment of success can leave a link that the kernel does not know.

import JSON
import Radio
import TestSupport
import Testing
import Wire

@testable import Connections
@testable import DaemonCore

@Suite struct SlowSensorTests {
  /// A strap that streamed and was lost alone, with a speculative connect under way.
  private func hoping(_ stage: ConnectStage = .listening, sourceLocation: SourceLocation = #_sourceLocation) throws -> (
    TestDaemon, TestClient
  ) {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    test.radio.accepts = false
    test.radio.connectStage = stage
    test.radio.link?.lose()
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .connecting, sourceLocation: sourceLocation)
    return (test, client)
  }

  private func scan(_ client: TestClient) {
    client.send(#"{"id":7,"method":"scan","params":{"seconds":60}}"#)
  }

  @Test("a sensor lost alone is connected for as long as the kernel tries")
  func speculativeTime() throws {
    let (test, _) = try hoping()
    try test.run(for: .milliseconds(19_900))
    #expect(test.state() == .connecting && test.radio.hasOpenLink)
    try test.run(for: .milliseconds(200))
    #expect(test.state() == .searching && !test.radio.hasOpenLink && test.radio.isSearching)
  }

  @Test("a speculative connect ends after 2 s while something else needs adverts")
  func speculativeTimeLimited() throws {
    let (test, client) = try hoping()
    scan(client)
    try test.run(for: .milliseconds(1900))
    #expect(test.state() == .connecting)
    try test.run(for: .milliseconds(200))
    #expect(test.state() == .searching && test.radio.isSearching)
  }

  @Test("a longer speculative connect ends when something else starts to need adverts")
  func endsForAScan() throws {
    let (test, client) = try hoping()
    try test.run(for: .seconds(10))
    #expect(test.state() == .connecting)
    scan(client)
    try test.run(for: .milliseconds(10))
    #expect(test.state() == .searching && test.radio.isSearching)
  }

  @Test(
    "a connect is not cancelled while the controller creates the link", arguments: [ConnectStage.creating, .unknown])
  func createsUndisturbed(stage: ConnectStage) throws {
    let (test, client) = try hoping(stage)
    scan(client)
    try test.run(for: .milliseconds(5900))
    #expect(test.state() == .connecting)
    test.radio.link?.succeedNow()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
  }

  @Test("the controller gets the kernel's time to create the link once", arguments: [ConnectStage.creating, .unknown])
  func creates(stage: ConnectStage) throws {
    let (test, client) = try hoping(stage)
    scan(client)
    try test.run(for: .milliseconds(7100))
    #expect(test.state() == .searching && test.radio.isSearching)
  }

  @Test("after a failed creation, the next one of the same connect gets the time again")
  func createsEachTry() throws {
    let (test, _) = try hoping(.creating)
    let queue = test.daemon.queue
    func wait() -> ConnectQueue.Ticket {
      let ticket = queue.request(granted: {})
      queue.advance()
      return ticket
    }
    try test.run(for: .seconds(4))
    queue.release(wait())
    test.radio.link?.lose(.connectingFailed)
    try test.run(for: .seconds(6))
    #expect(test.state() == .connecting && test.radio.links.count == 3)
    let ticket = wait()
    try test.run(for: .seconds(4))
    #expect(test.state() == .connecting, "less than the kernel's time since it was to be cancelled")
    queue.release(ticket)
    test.radio.link?.succeedNow()
    try test.run(for: .milliseconds(200))
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
  }

  @Test("a connect whose creation has ended is cancelled at its limit")
  func limits() throws {
    let (test, _) = try hoping()
    try test.run(for: .seconds(21))
    test.radio.advertise()
    try test.run(for: .milliseconds(300))
    #expect(test.state() == .connecting)
    try test.run(for: .milliseconds(5600))
    #expect(test.state() == .connecting)
    try test.run(for: .milliseconds(300))
    #expect(test.state() == .searching)
  }

  @Test("a link that the kernel lost is the reason until the sensor advertises")
  func stuckLink() throws {
    let (test, client) = try hoping()
    try test.run(for: .seconds(21))
    test.daemon.radio(keepsLostLinkTo: .strap, detail: "the test says so")
    #expect(test.state() == .searching && test.reason() == .linkStuck)
    try test.run(for: .milliseconds(1))
    #expect(try client.all("state").last?["reason"] == "link_stuck")
    test.radio.accepts = true
    test.radio.advertise()
    try test.run(for: .milliseconds(700))
    test.radio.advertise()
    try test.run(for: .milliseconds(300))
    test.radio.link?.notify([0x00, 0x49])
    try test.run(for: .milliseconds(1))
    #expect(test.state() == .streaming)
  }

  @Test("the queue serves radars first, then discovered sensors, then speculative ones")
  func radarFirst() {
    let queue = ConnectQueue()
    var turns: [String] = []
    func ask(_ name: String, isSpeculative: Bool = false, isUrgent: Bool = false) -> ConnectQueue.Ticket {
      let ticket = queue.request(isSpeculative: isSpeculative, isUrgent: isUrgent) { turns.append(name) }
      queue.advance()
      return ticket
    }
    let first = ask("first")
    let strap = ask("strap")
    let radar = ask("radar", isUrgent: true)
    let hope = ask("hoped radar", isSpeculative: true, isUrgent: true)
    queue.release(first)
    queue.release(radar)
    queue.release(strap)
    queue.release(hope)
    #expect(turns == ["first", "radar", "strap", "hoped radar"])
  }
}

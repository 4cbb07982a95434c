// The real gpsd, with pseudo-terminals as receivers: fixes, their loss, and receivers and a gpsd
// that disappear and return.

import EventLoop
import Linux
import Metrics
import TestSupport
import Testing
import Time

@testable import Position

@Suite(.serialized, .enabled(if: RealGPSD.path != nil, "there is no gpsd"))
final class RealGPSDTests {
  let loop: EventLoop
  let gpsd: RealGPSD
  let receiver: PretendedReceiver
  var client: GPSDClient
  var fixes: [Fix] = []
  var states: [GPSDClient.State] = []
  private var second = 0
  private var feeding: Deadline?

  init() throws {
    loop = try EventLoop()
    gpsd = try RealGPSD()
    receiver = try PretendedReceiver()
    client = GPSDClient(loop: loop, address: .loopback(port: gpsd.port))
    client.fix = { [unowned self] in fixes.append($0) }
    client.stateChanged = { [unowned self] in states.append($0) }
  }

  /// Feeds ten seconds of a ride per second until the test ends.
  func feed(_ write: @escaping (Int) -> Void) {
    feeding?.cancel()
    write(second)
    second += 1
    feeding = loop.schedule(after: .milliseconds(100)) { [weak self] in self?.feed(write) }
  }

  func run(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
  ) throws {
    #expect(
      try loop.run(until: .now + .seconds(20), condition), what, sourceLocation: sourceLocation)
  }

  /// gpsd does not listen at once. The client's retries find it.
  func watch(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try gpsd.start([receiver])
    client.want(.full)
    feed { [unowned self] in receiver.writeFix(second: $0) }
    try run("fixes", sourceLocation: sourceLocation) {
      fixes.contains { $0.mode == .full && $0.satellites != nil }
    }
  }

  @Test("fixes arrive with everything the receiver knows")
  func fixesArriveWithEverythingReceiver() throws {
    try watch()
    try run("a good fix at speed") { fixes.last?.quality == .good && fixes.last?.speedMps != nil }
    let fix = try #require(fixes.last)
    #expect(abs(try #require(fix.latitudeDeg) - 47.37) < 0.02)
    #expect(abs(try #require(fix.longitudeDeg) - 8.5333333) < 1e-6)
    #expect(fix.altitudeM == 420)
    #expect(abs(try #require(fix.speedMps) - 12 * 1852 / 3600) < 0.01)
    #expect(fix.courseDeg == 0)
    #expect(fix.satellites == 9)
    #expect(fix.dilution == 0.9)
    #expect(fix.epoch != nil)
    #expect(client.state == .watching(receivers: 1))
  }

  @Test("the times of fixes rise")
  func timesOfFixesRise() throws {
    try watch()
    let count = fixes.count
    try run("twenty more") { fixes.count >= count + 20 }
    let epochs = fixes.compactMap(\.epoch)
    #expect(epochs == epochs.sorted())
    #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(Set(epochs).count >= 15)
  }

  @Test("a lost fix is reported")
  func lostFixReported() throws {
    try watch()
    feed { [unowned self] in receiver.writeNoFix(second: $0) }
    try run("no fix") { fixes.last?.mode == Fix.Mode.none }
    #expect(fixes.last?.quality == .bad)
    #expect(fixes.last?.latitudeDeg == nil)
    feed { [unowned self] in receiver.writeFix(second: $0) }
    try run("found again") { fixes.last?.mode == .full }
  }

  @Test("a bad satellite geometry lowers the quality")
  func badSatelliteGeometryLowersQuality() throws {
    try watch()
    feed { [unowned self] in receiver.writeFix(second: $0, dilution: 3.1) }
    try run("okay") { fixes.last?.quality == .okay }
    feed { [unowned self] in receiver.writeFix(second: $0, dilution: 9.5) }
    try run("bad") { fixes.last?.quality == .bad }
  }

  @Test("a killed gpsd is found again")
  func killedGpsdFoundAgain() throws {
    try watch()
    gpsd.kill()
    try run("absent") { client.state == .absent }
    #expect(client.problem != nil)
    let count = fixes.count
    try gpsd.start([receiver])
    try run("fixes again") { fixes.count > count + 3 }
    #expect(client.state == .watching(receivers: 1))
    #expect(client.problem == nil)
  }

  @Test("a receiver can be unplugged and plugged in again")
  func receiverCanBeUnplugged() throws {
    try watch()
    #expect(try gpsd.plug(receiver, isIn: false).hasPrefix("OK"))
    try run("none left") { client.state == .watching(receivers: 0) }
    let count = fixes.count
    #expect(try gpsd.plug(receiver, isIn: true).hasPrefix("OK"))
    try run("fixes again") { fixes.count > count + 3 }
    #expect(client.state == .watching(receivers: 1))
  }

  @Test("a second receiver replaces one without a fix")
  func secondReceiverReplacesOne() throws {
    try watch()
    let other = try PretendedReceiver()
    #expect(try gpsd.plug(other, isIn: true).hasPrefix("OK"))
    feed { [unowned self] second in
      receiver.writeNoFix(second: second)
      other.writeFix(second: second)
    }
    try run("two receivers") { client.state == .watching(receivers: 2) }
    try run("the other's fix") { fixes.last?.mode == .full && fixes.contains { $0.mode == .none } }
  }

  @Test("without demand there is no connection")
  func withoutDemandThereNoConnection() throws {
    try watch()
    client.want(.none)
    try run("idle") { client.state == .idle }
    #expect(client.session == nil)
    let count = fixes.count
    _ = try loop.run(until: .now + .milliseconds(500)) { false }
    #expect(fixes.count == count)
    client.want(.slow)
    try run("a fix") { fixes.count > count }
    // Ten reports arrive per second, and the slow rate is one in five seconds.
    let soon = fixes.count
    _ = try loop.run(until: .now + .seconds(2)) { false }
    #expect(fixes.count <= soon + 1)
    client.want(.full)
    try run("all of them") { fixes.count > soon + 5 }
  }

  @Test("garbage from the receiver is neither a fix nor the end")
  func garbageFromReceiverNeitherFix() throws {
    try watch()
    feed { [unowned self] second in
      receiver.write(["GPRMC,garbage", String(repeating: "x", count: 200), "GPGGA,,,,,,,,,,,,,,"])
      if second % 3 == 0 { receiver.writeFix(second: second) }
    }
    let count = fixes.count
    try run("goes on") { fixes.count > count + 5 }
    #expect(fixes.last?.mode == .full)
  }
}

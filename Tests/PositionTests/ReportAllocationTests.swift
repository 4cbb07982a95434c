// The allocations of a report. One that is not needed allocates nothing, a needed one only its
// JSON. Meaningful for optimized code only: `swift test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import EventLoop
import JSON
import Linux
import Metrics
import TestSupport
import Testing

@testable import Position

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct ReportAllocationTests {
  static let position =
    #"{"class":"TPV","device":"/dev/pts/0","mode":3,"time":"2026-11-21T12:00:03.250Z","ept":0.005,"lat":47.368338333,"lon":8.533333333,"altHAE":467.0000,"altMSL":420.0000,"alt":421.0,"epx":17.075,"epy":15.202,"epv":34.500,"track":12.5,"magtrack":2.5703,"speed":6.173,"climb":-0.1,"eps":34.15,"eph":17.100}"#
    + "\n"

  static func session(_ rate: GPSDClient.Rate) throws -> (GPSDSession, EventLoop) {
    let loop = try EventLoop(.virtual(VirtualTime()))
    let session = try PacketPair().keepNear { _ in }.asSession(loop, rate)
    return (session, loop)
  }

  static func allocations(_ session: GPSDSession, _ bytes: [UInt8]) -> Int {
    var before = 0
    for round in 0..<1_100 {
      if round == 100 { before = allocation_count() }
      _ = session.take(bytes.span)
    }
    return allocation_count() - before
  }

  @Test("reports that are not needed allocate nothing")
  func reportsThatNotNeededAllocate() throws {
    let (session, _) = try Self.session(.slow)
    #expect(Self.allocations(session, Array(Self.position.utf8)) == 0)
    #expect(Self.allocations(session, Array(#"{"class":"PPS","device":"/dev/pts/0"}"#.utf8) + [10]) == 0)
  }

  @Test("a fix allocates only its JSON")
  func fixAllocatesOnlyJSON() throws {
    let bytes = Array(Self.position.utf8)
    let (session, _) = try Self.session(.full)
    var before = 0
    for round in 0..<1_100 {
      if round == 100 { before = allocation_count() }
      _ = try JSONValue.parse(bytes)
    }
    let ofJSON = allocation_count() - before
    #expect(ofJSON > 0)
    #expect(Self.allocations(session, bytes) <= ofJSON + 1_000)
    let clock = ContinuousClock()
    let whole = clock.measure { for _ in 0..<20_000 { _ = session.take(bytes.span) } }
    let slow = try Self.session(.slow).0
    let dropped = clock.measure { for _ in 0..<20_000 { _ = slow.take(bytes.span) } }
    print("a fix: \(whole / 20_000), of \(ofJSON / 1_000) allocations; one that is not wanted: \(dropped / 20_000)")
  }
}

extension FileDescriptor {
  fileprivate consuming func asSession(_ loop: EventLoop, _ rate: GPSDClient.Rate) throws(SystemError) -> GPSDSession {
    try GPSDSession(loop: loop, socket: self, rate: rate)
  }
}

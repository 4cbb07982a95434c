// What a controller's packets tell about a connect and its cancel.

import Testing

@testable import BlueZ

struct ConnectWitnessTests {
  /// Command status, LE Create Connection: connection limit exceeded.
  private static let full: [UInt8] = [0x04, 0x0f, 0x04, 0x09, 0x01, 0x0d, 0x20]
  private static let created: [UInt8] = [0x04, 0x0f, 0x04, 0x00, 0x01, 0x0d, 0x20]
  private static let createdExtended: [UInt8] = [0x04, 0x0f, 0x04, 0x00, 0x01, 0x43, 0x20]
  /// Command complete, LE Create Connection Cancel.
  private static let cancelled: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x0e, 0x20, 0x00]
  private static let tooLate: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x0e, 0x20, 0x0c]
  /// Command complete, LE Set Scan Enable.
  private static let scans: [UInt8] = [0x04, 0x0e, 0x04, 0x01, 0x0c, 0x20, 0x00]

  private func witness(_ packets: [UInt8]...) -> ConnectWitness {
    var rest = packets
    return ConnectWitness(reading: {
      defer { rest = [] }
      return rest
    })
  }

  @Test("only some refusals mean a full controller")
  func refusals() {
    for status: UInt8 in [0x07, 0x09, 0x0d, 0x01, 0x0c, 0x3a] {
      var packet = Self.full
      packet[3] = status
      #expect(witness(packet).sawNoRoom() == [0x07, 0x09, 0x0d].contains(status))
      #expect(witness(packet).stage == .listening)
    }
    var extended = Self.full
    extended[5] = 0x43
    #expect(witness(extended).sawNoRoom())
  }

  @Test("other and truncated packets are ignored")
  func others() {
    for (index, byte) in [(0, UInt8(0x02)), (1, 0x0d), (5, 0x0e), (6, 0x04)] {
      var packet = Self.created
      packet[index] = byte
      #expect(ConnectEvent(packet.span) == nil)
    }
    for packet in [Self.created, Self.tooLate] {
      for length in 0..<packet.count { #expect(ConnectEvent(Array(packet[..<length]).span) == nil) }
    }
    #expect(ConnectEvent(Self.scans.span) == nil)
  }

  @Test("the last command decides what a cancel would meet")
  func stages() {
    #expect(witness().stage == .listening)
    #expect(witness(Self.scans).stage == .listening)
    #expect(witness(Self.scans, Self.created).stage == .creating)
    #expect(witness(Self.createdExtended).stage == .creating)
    #expect(witness(Self.created, Self.cancelled).stage == .listening)
    #expect(witness(Self.created, Self.cancelled, Self.created).stage == .creating)
    #expect(witness(Self.created, Self.tooLate).stage == .tooLate)
  }

  @Test("a late cancel counts only for the connect that was watched")
  func lateCancels() {
    #expect(witness(Self.created, Self.tooLate).sawLateCancel())
    #expect(witness(Self.full, Self.created, Self.tooLate, Self.created).sawLateCancel())
    #expect(!witness(Self.tooLate).sawLateCancel(), "nothing was created")
    #expect(!witness(Self.created, Self.cancelled).sawLateCancel())
    #expect(!witness(Self.created, Self.cancelled, Self.created, Self.tooLate).sawLateCancel())
    #expect(!witness(Self.created).sawLateCancel())
  }

  @Test("among several kernel attempts, the one under way at the cancel counts")
  func laterAttempts() {
    var rest = [Self.created, Self.cancelled, Self.created]
    let witness = ConnectWitness(reading: {
      defer { rest = [] }
      return rest
    })
    witness.cancelling()
    #expect(!witness.sawLateCancel())
    rest = [Self.tooLate]
    #expect(witness.sawLateCancel())
  }

  @Test(
    "after a link that ended early, a cancel of bluetoothd's own connect counts",
    arguments: [
      ("its connect was created", [Self.created, Self.tooLate], true),
      ("its connect was queued, and created after the cancel", [Self.tooLate, Self.created], true),
      ("it was cancelled in time", [Self.created, Self.cancelled], false),
      ("it had not begun", [], false),
    ])
  func connectsAgain(_ what: String, _ after: [[UInt8]], isLost: Bool) {
    var rest = [Self.created]
    let witness = ConnectWitness(reading: {
      defer { rest = [] }
      return rest
    })
    witness.linkIsUp()
    witness.cancelling()
    rest = after
    #expect(witness.sawLateCancel() == isLost)
  }

  @Test("without a controller the stage is unknown")
  func unknown() {
    let witness = ConnectWitness(on: 250)
    #expect(witness.stage == .unknown && !witness.sawNoRoom() && !witness.sawLateCancel())
  }
}

// What a controller says when it refuses a connect.

import Testing

@testable import BlueZ

struct ConnectWitnessTests {
  /// Command status, LE Create Connection: connection limit exceeded.
  private let good: [UInt8] = [0x04, 0x0f, 0x04, 0x09, 0x01, 0x0d, 0x20]

  private func refused(_ index: Int, _ byte: UInt8) -> RefusedConnect? {
    var bytes = good
    bytes[index] = byte
    return RefusedConnect(bytes.span)
  }

  @Test func onlySomeRefusalsAreForWantOfRoom() {
    for status: UInt8 in [0x07, 0x09, 0x0d] { #expect(refused(3, status)?.isForWantOfRoom == true) }
    for status: UInt8 in [0x01, 0x0c, 0x3a] { #expect(refused(3, status)?.isForWantOfRoom == false) }
  }

  @Test func theExtendedConnectIsOneToo() {
    #expect(refused(5, 0x43)?.isForWantOfRoom == true)
  }

  @Test func whatIsAcceptedOrOfAnotherCommandIsNone() {
    #expect(refused(3, 0x00) == nil)
    for (index, byte) in [(0, UInt8(0x02)), (1, 0x0e), (5, 0x0e), (6, 0x04)] { #expect(refused(index, byte) == nil) }
    for length in 0..<good.count { #expect(RefusedConnect(Array(good[..<length]).span) == nil) }
  }

  @Test func withoutAControllerNothingIsKnown() {
    #expect(!ConnectWitness(on: 250).sawNoRoom())
  }
}

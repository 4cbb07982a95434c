// A controller's answers about the signal strength of its links, and the answer without a
// controller.

import BlueZRadio
import EventLoop
import Linux
import Radio
import TestSupport
import Testing
import Time

@testable import BlueZ

struct LinkStrengthTests {
  /// Command complete, Read RSSI, for handle 0x0040: -57 dBm.
  private let good: [UInt8] = [0x04, 0x0e, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xc7]

  private func changed(_ index: Int, to byte: UInt8) -> [UInt8] {
    var bytes = good
    bytes[index] = byte
    return bytes
  }

  private func answer(_ bytes: [UInt8]) -> RSSIAnswer? { RSSIAnswer(bytes.span) }

  @Test("the signal strength is the last byte of the answer")
  func strength() {
    #expect(answer(good)?.handle == 0x40)
    #expect(answer(good)?.dBm == -57)
  }

  @Test("a refusal and an unavailable strength give no value")
  func noStrength() {
    for bytes in [changed(6, to: 0x02), changed(9, to: 0x7f)] {
      #expect(answer(bytes)?.handle == 0x40)
      #expect(answer(bytes)?.dBm == nil)
    }
  }

  @Test("only the lower 12 bits make up the handle")
  func handleBits() {
    #expect(answer(changed(8, to: 0xf1))?.handle == 0x140)
  }

  @Test("other and truncated packets are ignored")
  func otherPackets() {
    for index in [0, 1, 4, 5] { #expect(answer(changed(index, to: 0xee)) == nil) }
    for length in 0..<good.count { #expect(answer(Array(good[..<length])) == nil) }
  }

  @Test("without a controller the answer is nil, after the call returns")
  func noController() throws {
    let loop = try EventLoop(.virtual(VirtualTime()))
    let strength = LinkStrength(loop: loop)
    var answers: [Int?] = []
    strength.read("C0:00:00:00:00:01", on: 250) { answers.append($0) }
    #expect(answers.isEmpty, "the call itself answers nothing")
    _ = try loop.run(until: loop.now + .seconds(1)) { false }
    #expect(answers == [nil])
    #expect(loop.watchCount == 0 && loop.deadlineCount == 0)
  }

  /// The kernel would miss that the connect has completed.
  @Test("the signal strength is not read while another link comes up")
  func notReadDuringConnect() throws {
    let address = try #require(DeviceAddress("C0:00:00:00:00:02"))
    let stand = try RadioStand.discovered { fake in
      fake.addSensor(address.text, name: "Strap", services: []).advertise()
      fake.script.onConnect = { sensor, _ in sensor.address == address.text ? .never : .succeed() }
    }
    _ = try stand.openLink()
    let belt = try #require(RadioStand.address)
    #expect(stand.radio.readStrength(of: belt) { _ in })
    let other = LinkProbe(stand.radio.link(to: address), stand.world)
    other.open()
    try stand.world.run(for: .seconds(1))
    #expect(!stand.radio.readStrength(of: belt) { _ in })
    other.close()
    #expect(try stand.world.run { other.failure != nil })
    #expect(stand.radio.readStrength(of: belt) { _ in })
  }
}

// A packet and its answer allocate nothing once the buffers have grown. This holds for optimized code:
// `swift test -c release --filter SensorProcessesTests`.

import AllocationCounting
import CAllocationCounter
import DeclaredSensors
import SensorKit
import SensorProcesses
import Testing

@Suite struct ProcessAllocationTests {
  @Test(
    "a packet and its answer allocate nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func packets() throws {
    let owner = SilentDaemon(try ProcessVector.program("magene_process").process)
    let conversation = ProcessConversation(
      release: "1", instance: "a", at: MonotonicTime(seconds: 0), owner: owner)
    func receive(_ text: String) { conversation.receive(Array(text.utf8).span, at: MonotonicTime(seconds: 0)) }
    receive(#"{"class":"register","id":"magene_process","plugin":"1.0"}"#)
    conversation.open(1, ProcessSensor(id: "l508", name: "L508", settings: SensorSettings()))
    let uuid = BluetoothUUID(0x2a37)
    let value: [UInt8] = [0x57, 0x09, 0x00, 0x30, 0x05, 0x00, 0xac, 0x0b, 0x00, 0x44, 0x00]
    let answers = (1...1_100).map { number in
      Array(
        """
        {"class": "done", "packet": \(number), "records": [{"sample": "radar", "clear": false, "targets": \
        [{"id": 0, "distance_m": 137.5, "approach_speed_mps": 12.16, "level": 1, "side": "left"}]}]}
        """.utf8)
    }
    var before = 0
    for (round, answer) in answers.enumerated() {
      if round == 100 { before = allocation_count() }
      let time = MonotonicTime(nanoseconds: Int64(round) * 100_000_000)
      conversation.send(
        ProcessPacket(
          session: 1, packet: 0, origin: .notified(service: uuid, characteristic: uuid), time: time),
        value.span, at: time)
      conversation.sent(conversation.output.count)
      conversation.receive(answer.span, at: time)
    }
    let allocations = allocation_count() - before
    #expect(owner.published == 1_100)
    #expect(allocations == 0)
  }
}

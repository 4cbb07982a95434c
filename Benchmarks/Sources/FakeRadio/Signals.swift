// Sends packets as bus signals, as BlueZ does for clients that did not acquire a descriptor. Only
// the connection that owns org.bluez can send them, so this runs on its loop, which also flushes
// them.

import CSender
import EventLoop
import Linux
import TestSupport
import Time

/// `rate` is in packets per second of all sensors together. `finished` gets the time just before
/// each was sent.
func sendSignals(
  _ loop: EventLoop, _ sensors: [FakeSensor], _ rate: Double, _ numbers: Range<UInt32>,
  _ finished: @escaping ([UInt64]) -> Void
) {
  let start = MonotonicTime.now
  let total = numbers.count * sensors.count
  var times: [UInt64] = []
  times.reserveCapacity(total)

  func due(_ index: Int) -> MonotonicTime { start + .nanoseconds(Int64(Double(index) / rate * 1e9)) }

  func sendWhatIsDue() {
    for _ in 0..<16 where times.count < total && due(times.count) <= MonotonicTime.now {
      let (round, sensor) = times.count.quotientAndRemainder(dividingBy: sensors.count)
      times.append(UInt64(MonotonicTime.now.nanoseconds))
      sensors[sensor].notify("2a37", packet(numbers.lowerBound + UInt32(round)))
    }
    guard times.count < total else { return finished(times) }
    loop.schedule(at: due(times.count)) { sendWhatIsDue() }
  }
  sendWhatIsDue()
}

private func packet(_ number: UInt32) -> [UInt8] {
  var packet = [UInt8](repeating: 0, count: Int(sender_packet_size))
  // The call writes all bytes of the array and keeps no pointer to it.
  unsafe sender_packet(number, &packet)
  return packet
}

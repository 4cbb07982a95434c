// The samples of one sensor and kind: their count, and the last of them, ready to be sent again. A stream outlives the sensor
// that fed it: one that is forgotten and paired again goes on counting, so that no subscriber sees `seq` go back.

import SensorKit
import Wire

final class Stream {
  let sensor: String
  let kind: SampleKind
  /// Its place among all streams, the same for as long as the daemon runs.
  let index: Int
  private(set) var sequence = 0
  private(set) var encoded = EncodedSample()
  private var lastTime = MonotonicTime(nanoseconds: 0)
  /// Whether there is a last sample to show: not before the first, nor after the sensor was forgotten.
  private(set) var hasLast = false

  init(sensor: String, kind: SampleKind, index: Int) {
    self.sensor = sensor
    self.kind = kind
    self.index = index
  }

  func encode(_ entry: Batch.Entry, of batch: borrowing Batch, at time: MonotonicTime, wallTime: WallTime?) {
    sequence += 1
    lastTime = time
    hasLast = true
    let header = SampleHeader(sensor: sensor, sequence: sequence, time: time, wallTime: wallTime)
    encoded.encode(kind, entry, of: batch, header)
  }

  func forgetLast() {
    hasLast = false
  }

  func writeLast(into writer: inout JSONWriter, now: MonotonicTime) {
    writer.sample(encoded, ageMS: Int(max(0, now.nanoseconds - lastTime.nanoseconds) / 1_000_000))
  }
}

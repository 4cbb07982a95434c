// The samples of one sensor and kind: their count, and the last one, encoded. A stream outlives its
// sensor: if it is forgotten and paired again, `seq` continues, so no subscriber sees it go back.

package import JSON
import SampleLines
import SensorKit
package import Time
package import Vocabulary

package final class SampleStream {
  let sensor: String
  package let kind: SampleKind
  /// Its index among all streams, constant while the daemon runs.
  let index: Int
  private(set) var sequence = 0
  private(set) var encoded = EncodedSample()
  private var lastTime = MonotonicTime(nanoseconds: 0)
  /// False before the first sample and after the sensor was forgotten.
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

  package func writeLast(into writer: inout JSONWriter, now: MonotonicTime) {
    writer.sample(encoded, ageMS: Int(max(0, now.nanoseconds - lastTime.nanoseconds) / 1_000_000))
  }
}

// Running captures: they get the undecoded traffic between sensors and the daemon. Usually there are
// none, and packets then cost nothing here.

package import CaptureFormat
import Radio
import SensorKit
package import Time
import Vocabulary
package import Wire

package protocol CaptureTaker: AnyObject {
  func record(_ record: RawRecord)
  func record(_ report: RawReport)
}

package final class Captures {
  private var running: [any CaptureTaker] = []

  package init() {}

  package var isEmpty: Bool { running.isEmpty }

  package func add(_ capture: any CaptureTaker) {
    running.append(capture)
  }

  package func remove(_ capture: any CaptureTaker) {
    running.removeAll { $0 === capture }
  }

  package func record(_ event: @autoclosure () -> CaptureEvent, of sensor: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    let record = RawRecord(sensor: sensor, time: time, event: event())
    for capture in running { capture.record(record) }
  }

  /// A report from gpsd.
  package func record(report: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    for capture in running { capture.record(RawReport(time: time, report: report)) }
  }

  func record(_ advert: Advert, of sensor: String, at time: MonotonicTime) {
    guard !isEmpty else { return }
    for data in advert.manufacturerData { record(.advert(data.company, data.value), of: sensor, at: time) }
    for data in advert.serviceData { record(.serviceData(data.service, data.value), of: sensor, at: time) }
  }

  /// Records a value received on a link. Adverts are recorded as a whole.
  func record(_ value: Span<UInt8>, from origin: PacketSource.Origin, of sensor: String, at time: MonotonicTime) {
    guard !isEmpty else { return }
    guard let (verb, uuid) = origin.captured else { return }
    record(.value(verb, uuid, value.indices.map { value[$0] }), of: sensor, at: time)
  }
}

extension PacketSource.Origin {
  /// How a capture records a value from there; nil for adverts, which are recorded as they arrive.
  var captured: (verb: CaptureEvent.Verb, BluetoothUUID)? {
    switch self {
    case .notified(_, let source): (.notify, source)
    case .indicated(_, let source): (.indicate, source)
    case .read(_, let source): (.read, source)
    case .manufacturer, .serviceData: nil
    }
  }
}

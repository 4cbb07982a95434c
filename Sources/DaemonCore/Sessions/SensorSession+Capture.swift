// A session's part in captures.

import CaptureFormat
import EventLoop
import Radio
import SensorKit
import Time
import Vocabulary

extension SensorSession {
  /// A capture can begin during a connection, so the characteristics that a decoder needs are read
  /// again.
  func begins(_ capture: Capture) {
    guard isLinkOpen, let actions else { return }
    capture.record(.connected, of: id, at: environment.loop.now)
    let reads = infos.flatMap(\.characteristics).filter(\.isRead)
    actions.read(reads.map { Endpoint(service: $0.service, characteristic: $0.characteristic) }, for: capture)
  }

  /// Drops the reads that only this capture waited for.
  func ends(_ capture: Capture) {
    actions?.endReads(for: capture)
  }

  func capture(_ advert: Advert) {
    guard !environment.captures.isEmpty else { return }
    let time = environment.loop.now
    for data in advert.manufacturerData {
      environment.captures.record(.advert(data.company, data.value), of: id, at: time)
    }
    for data in advert.serviceData {
      environment.captures.record(.serviceData(data.service, data.value), of: id, at: time)
    }
  }

  /// Records values received on a link. Adverts are recorded elsewhere.
  func capture(_ value: Span<UInt8>, from origin: PacketSource.Origin, at time: MonotonicTime) {
    guard !environment.captures.isEmpty else { return }
    let (verb, uuid): (CaptureEvent.Verb, BluetoothUUID)
    switch origin {
    case .notified(_, let source): (verb, uuid) = (.notify, source)
    case .indicated(_, let source): (verb, uuid) = (.indicate, source)
    case .read(_, let source): (verb, uuid) = (.read, source)
    case .manufacturer, .serviceData: return
    }
    environment.captures.record(.value(verb, uuid, value.indices.map { value[$0] }), of: id, at: time)
  }
}

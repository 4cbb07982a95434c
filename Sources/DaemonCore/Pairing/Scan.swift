// A scan for one client, until its time is over. A device is reported when it is first found and
// when it changes. Changes of RSSI alone are reported at most once a second.

import EventLoop
import Linux
import Radio
import Sensing
import SensorKit
import Serving
import Time
import Vocabulary
import Wire

final class Scan: ClientOperation {
  private weak var client: Client?
  private let loop: EventLoop
  private let showsAll: Bool
  private let identify: (Advert) -> (id: String, isPaired: Bool)
  private let plugins: PluginShelf
  private let onEnd: (Scan) -> Void
  private var deadline: Deadline?
  private var finds: [DeviceAddress: Find] = [:]

  fileprivate struct Find {
    var device = DeviceDescription()
    var told: FoundRecord?
    var toldAt = MonotonicTime(nanoseconds: 0)
  }

  /// The maximum number of devices per scan: more than at a crowded start line.
  private static let capacity = 4096

  init(
    for client: Client, seconds: Double, showsAll: Bool, plugins: PluginShelf, loop: EventLoop,
    identify: @escaping (Advert) -> (id: String, isPaired: Bool), onEnd: @escaping (Scan) -> Void
  ) {
    self.client = client
    self.loop = loop
    self.showsAll = showsAll
    self.identify = identify
    self.plugins = plugins
    self.onEnd = onEnd
    deadline = loop.schedule(after: .seconds(seconds)) { [weak self] in self?.cancel() }
  }

  func handle(_ advert: Advert) {
    guard finds[advert.address] != nil || finds.count < Self.capacity else { return }
    var find = finds[advert.address] ?? Find()
    find.device.merge(advert)
    defer { finds[advert.address] = find }
    let plugins = plugins.registry.recognize(find.device)
    guard showsAll || !plugins.isEmpty else { return }
    let (id, isPaired) = identify(advert)
    let record = FoundRecord(
      id: id, address: advert.address.text, name: find.device.name.isEmpty ? nil : find.device.name,
      rssiDBm: advert.rssi, kinds: plugins.flatMap { $0.info.kinds }.map(\.name.description),
      plugins: plugins.map { $0.info.id },
      isPaired: isPaired)
    guard find.isNews(record, at: loop.now) else { return }
    find.told = record
    find.toldAt = loop.now
    client?.send(record)
  }

  func end() {
    deadline?.cancel()
    deadline = nil
    onEnd(self)
  }

  /// Called at the end of the time, or by the client.
  func cancel() {
    guard deadline != nil else { return }
    let client = self.client
    client?.endOperation()
    end()
    client?.send(ScanEndedRecord())
  }
}

extension Scan.Find {
  fileprivate func isNews(_ record: FoundRecord, at now: MonotonicTime) -> Bool {
    guard var told else { return true }
    if told == record { return false }
    told.rssiDBm = record.rssiDBm
    return told != record || now - toldAt >= .seconds(1)
  }
}

// A recorded ride, played again: the lines of a capture file as a scene.

import DaemonCore
import SensorKit
import Sensors
public import Wire

public struct CaptureScene: Scene {
  public private(set) var devices: [SceneDevice] = []
  public let leadIn = Duration.seconds(2)
  /// In reverse: the next is the last.
  private var events: [SceneEvent] = []

  /// Reads the whole file; the first line that does not fit is thrown.
  public init(_ content: [UInt8]) throws(CaptureError) {
    var lines: [CaptureLine] = []
    var problem: CaptureError?
    let keep = { (result: Result<CaptureLine, CaptureError>, number: Int) in
      switch result {
      case .success(let line): lines.append(line)
      case .failure(let error): problem = problem ?? error
      }
    }
    var reader = CaptureReader()
    reader.feed(content.span, keep)
    reader.finish(keep)
    if let problem { throw problem }
    let descriptions = lines.compactMap { line -> CaptureDevice? in
      if case .device(let device) = line { device } else { nil }
    }
    let uses = lines.reduce(into: [String: [BluetoothUUID]]()) { $0.note($1) }
    for (index, description) in descriptions.enumerated() {
      devices.append(SceneDevice(description, number: index, uses: uses[description.id] ?? []))
    }
    let places = Dictionary(descriptions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for line in lines {
      guard case .event(let time, let id, let event) = line else { continue }
      guard let place = places[id] else { throw CaptureError("\(id) is no device of this capture") }
      if let action = devices[place].action(for: event) {
        events.append(SceneEvent(at: .nanoseconds(time.nanoseconds), device: place, action))
      }
    }
    holdFirstReads()
    events.reverse()
  }

  public mutating func next() -> SceneEvent? {
    events.popLast()
  }

  /// What was read first in the recording can be read from the beginning: the daemon may ask a moment earlier.
  private mutating func holdFirstReads() {
    var seen: Set<Endpoint> = []
    var early: [SceneEvent] = []
    for event in events {
      guard case .holds(let endpoint, _) = event.action, seen.insert(endpoint).inserted else { continue }
      early.append(SceneEvent(at: .zero, device: event.device, event.action))
    }
    events = early + events
  }
}

extension [String: [BluetoothUUID]] {
  /// Remembers which characteristics the lines of each device name.
  fileprivate mutating func note(_ line: CaptureLine) {
    guard case .event(_, let id, .value(_, let characteristic, _)) = line else { return }
    if !self[id, default: []].contains(characteristic) { self[id, default: []].append(characteristic) }
  }
}

extension SceneDevice {
  /// A device without an address in the file gets one that no real device has.
  fileprivate init(_ description: CaptureDevice, number: Int, uses: [BluetoothUUID]) {
    let name = description.name ?? description.id
    let device = DeviceDescription(name: name, services: description.services)
    let host = PluginHost(recognize(device, among: registry), settings: SensorSettings())
    let endpoints = uses.compactMap { characteristic in
      host.service(of: characteristic, among: description.services).map {
        Endpoint(service: $0, characteristic: characteristic)
      }
    }
    self.init(
      address: description.address.flatMap { DeviceAddress($0) } ?? .standIn(number), name: name,
      services: description.services, endpoints: endpoints)
  }

  fileprivate func action(for event: CaptureEvent) -> SceneEvent.Action? {
    func endpoint(_ characteristic: BluetoothUUID) -> Endpoint? {
      endpoints.first { $0.characteristic == characteristic }
    }
    switch event {
    case .connected: return .accepts
    case .disconnected: return .refuses
    case .value(.read, let uuid, let value): return endpoint(uuid).map { .holds($0, value) }
    case .value(.notify, let uuid, let value): return endpoint(uuid).map { .notifies($0, value, indicated: false) }
    case .value(.indicate, let uuid, let value): return endpoint(uuid).map { .notifies($0, value, indicated: true) }
    // What the recording computer wrote, this one writes by itself.
    case .value(.write, _, _): return nil
    case .advert(let company, let value):
      return .advertises(manufacturer: Advert.ManufacturerData(company: company, value: value), service: nil)
    case .serviceData(let service, let value):
      return .advertises(manufacturer: nil, service: Advert.ServiceData(service: service, value: value))
    }
  }
}

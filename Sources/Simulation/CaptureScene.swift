// Plays a recorded ride: the lines of a capture file as a scene.

public import CaptureFormat
import Radio
public import SensorKit
import Time
import Vocabulary

public struct CaptureScene: Scene {
  public private(set) var devices: [SceneDevice] = []
  public let leadIn = Duration.seconds(2)
  /// In reverse order, so that the next event is the last element.
  private var events: [SceneEvent] = []

  /// Reads the whole file; throws at the first invalid line.
  public init(_ content: [UInt8], plugins: PluginRegistry) throws(CaptureError) {
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
      var device = SceneDevice(description, number: index, uses: uses[description.id] ?? [], plugins: plugins)
      device.settings = lines.settings[description.id] ?? []
      devices.append(device)
    }
    let places = Dictionary(descriptions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for line in lines {
      if let report = line.report { events.append(report) }
      guard case .event(let time, let id, let event) = line else { continue }
      guard let place = places[id] else { throw CaptureError("\(id) is not a device of this capture") }
      if let action = devices[place].action(for: event) {
        devices[place].learn(from: action)
        events.append(SceneEvent(at: .nanoseconds(time.nanoseconds), device: place, action))
      }
    }
    holdFirstReads()
    events.reverse()
  }

  public mutating func next() -> SceneEvent? {
    events.popLast()
  }

  /// Makes the first value of each read available from the start, because devices are connected
  /// before the scene's time begins.
  private mutating func holdFirstReads() {
    var seen: Set<Endpoint> = []
    var early: [SceneEvent] = []
    for event in events {
      guard case .holds(let endpoint, _) = event.action, seen.insert(endpoint).inserted else { continue }
      early.append(SceneEvent(at: .zero - leadIn, device: event.device, event.action))
    }
    events = early + events
  }
}

extension [String: [BluetoothUUID]] {
  /// Collects the characteristics in the lines of each device.
  mutating func note(_ line: CaptureLine) {
    guard case .event(_, let id, .value(_, let characteristic, _)) = line else { return }
    if !self[id, default: []].contains(characteristic) { self[id, default: []].append(characteristic) }
  }
}

extension CaptureLine {
  /// The event of a gpsd line.
  var report: SceneEvent? {
    guard case .position(let time, let report) = self else { return nil }
    return SceneEvent(at: .nanoseconds(time.nanoseconds), report: report)
  }
}

extension [CaptureLine] {
  /// The settings in the `set` lines, by device.
  var settings: [String: [PlayedSensor.Setting]] {
    reduce(into: [:]) { settings, line in
      guard case .setting(let id, let key, let value) = line else { return }
      settings[id, default: []].append(PlayedSensor.Setting(key: key, value: value))
    }
  }
}

extension SceneDevice {
  /// A device without an address gets a reserved one. If not all lines are known yet, it has every
  /// characteristic that its plugins subscribe to, not only those in the lines.
  init(
    _ description: CaptureDevice, number: Int, uses: [BluetoothUUID], plugins: PluginRegistry, isWhole: Bool = true
  ) {
    self.init(
      address: description.address.flatMap { DeviceAddress($0) } ?? .standIn(number),
      name: description.name ?? description.id, services: description.services, endpoints: [])
    let host = host(plugins)
    endpoints = endpoints(for: uses, host)
    guard !isWhole else { return }
    for info in host.infos {
      for use in info.characteristics where use.isSubscribed && services.contains(use.service) {
        let endpoint = Endpoint(service: use.service, characteristic: use.characteristic)
        allow(.notify, with: endpoint)
        if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
      }
    }
  }

  private func host(_ plugins: PluginRegistry) -> PluginHost {
    let fitting = plugins.recognize(DeviceDescription(name: name, services: services))
    return plugins.host(fitting, settings: SensorSettings())
  }

  /// The endpoints of characteristics that appear in a capture.
  func endpoints(for uses: [BluetoothUUID], plugins: PluginRegistry) -> [Endpoint] {
    endpoints(for: uses, host(plugins))
  }

  private func endpoints(for uses: [BluetoothUUID], _ host: PluginHost) -> [Endpoint] {
    uses.compactMap { characteristic in
      host.service(of: characteristic, among: services).map {
        Endpoint(service: $0, characteristic: characteristic)
      }
    }
  }

  func action(for event: CaptureEvent) -> SceneEvent.Action? {
    func endpoint(_ characteristic: BluetoothUUID) -> Endpoint? {
      endpoints.first { $0.characteristic == characteristic }
    }
    switch event {
    case .connected: return .accepts
    case .disconnected: return .refuses
    case .value(.read, let uuid, let value): return endpoint(uuid).map { .holds($0, value) }
    case .value(.notify, let uuid, let value): return endpoint(uuid).map { .notifies($0, value, indicated: false) }
    case .value(.indicate, let uuid, let value): return endpoint(uuid).map { .notifies($0, value, indicated: true) }
    // The daemon sends its own writes.
    case .value(.write, _, _): return nil
    case .advert(let company, let value):
      return .advertises(manufacturer: Advert.ManufacturerData(company: company, value: value), service: nil)
    case .serviceData(let service, let value):
      return .advertises(manufacturer: nil, service: Advert.ServiceData(service: service, value: value))
    }
  }
}

// Turns a capture into scripts for the decoders: one per device and matching plugin, and one for
// all matching plugins of a device. Captures contain no commands, so some of each plugin's are
// appended.

import CaptureFormat
import DecoderScript
import SensorKit
import Time

func scripts(of capture: [UInt8], _ registry: PluginRegistry) -> [Script] {
  var lines: [CaptureLine] = []
  var reader = CaptureReader()
  reader.feed(capture.span) { result, _ in if let line = try? result.get() { lines.append(line) } }
  reader.finish { result, _ in if let line = try? result.get() { lines.append(line) } }
  return lines.flatMap { line -> [Script] in
    guard case .device(let device) = line else { return [] }
    let events = lines.compactMap { line -> (time: MonotonicTime, event: CaptureEvent)? in
      guard case .event(let time, device.id, let event) = line else { return nil }
      return (time, event)
    }
    let plugins = registry.plugins.filter { plugin in
      events.contains { plugin.info.source(of: $0.event, device) != nil }
    }
    let together = plugins.count > 1 ? [Array(plugins.prefix(Script.mostPlugins))] : []
    return (plugins.map { [$0] } + together).map { script(device, events, $0) }
  }
}

private func script(
  _ device: CaptureDevice, _ events: [(time: MonotonicTime, event: CaptureEvent)], _ plugins: [Plugin]
) -> Script {
  var last: MonotonicTime?
  var steps: [Step] = []
  for (time, event) in events {
    guard let action = action(event, device, plugins) else { continue }
    steps.append(Step(Pause(nanoseconds: time.nanoseconds - (last ?? time).nanoseconds), action))
    last = time
  }
  for command in plugins.flatMap({ $0.info.commands.prefix(4) }) {
    steps.append(Step(Pause(nanoseconds: 0), .command(Key(command), value: 5, parameters: [:])))
    steps.append(Step(Pause(nanoseconds: 40_000_000_000), .tick))
  }
  return Script(
    plugins: plugins.map { Key($0.info.id) }, sender: Sender(address: device.address ?? "", name: device.name ?? ""),
    steps: steps)
}

private func action(
  _ event: CaptureEvent, _ device: CaptureDevice, _ plugins: [Plugin]
) -> Step.Action? {
  let origin: Step.Origin
  switch event {
  case .connected: return .connected
  case .disconnected: return .disconnected
  case .value(.write, _, _): return nil
  case .value(.read, _, _): origin = .read
  case .value(.indicate, _, _): origin = .indicated
  case .value(.notify, _, _), .advert, .serviceData: origin = .notified
  }
  guard let source = plugins.lazy.compactMap({ $0.info.source(of: event, device) }).first else { return nil }
  switch event {
  case .value(_, _, let value): return .packet(source.key, origin, company: 0, value)
  case .advert(let company, let value): return .packet(source.key, origin, company: company, value)
  case .serviceData(_, let value): return .packet(source.key, origin, company: 0, value)
  case .connected, .disconnected: return nil
  }
}

extension SensorInfo {
  /// The plugin's source for an event of this device.
  fileprivate func source(of event: CaptureEvent, _ device: CaptureDevice) -> NamedSource? {
    let carrier: AdvertPattern.Carrier
    switch event {
    case .connected, .disconnected: return nil
    case .value(_, let uuid, _):
      return characteristics.first { $0.characteristic == uuid }.map { NamedSource($0) }
    case .advert(let company, _): carrier = .manufacturer(company)
    case .serviceData(let uuid, _): carrier = .serviceData(uuid)
    }
    let fitting = adverts.filter { $0.accepts(name: device.name ?? "") }
    return fitting.first { $0.carrier == carrier || $0.carrier == .anyManufacturer }.map { NamedSource($0.carrier) }
  }
}

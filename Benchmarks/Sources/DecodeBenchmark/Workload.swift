// The frames to decode: every valid frame of the captures, by plugin, in the original order. A
// profile is one characteristic or one type of advert, so that a decoder of a single profile can be
// compared.

import CaptureFormat
import Linux
import SensorKit
import Sensors
import Time
import Vocabulary

/// Frames with all bytes in one buffer, so that passing a frame on costs nothing.
struct Frames {
  private(set) var bytes: [UInt8] = []
  private(set) var ranges: [Range<Int>] = []
  private(set) var runs: [Run] = []
  private(set) var places: [PacketSource] = []
  private(set) var devices: [Sender] = []

  /// Consecutive frames from the same source of one device.
  struct Run {
    let place: Int
    let device: Int
    var frames: Range<Int>
  }

  var count: Int { ranges.count }

  mutating func append(_ frame: [UInt8], from source: PacketSource) {
    if let last = runs.last, places[last.place].isSame(as: source) {
      runs[runs.count - 1].frames = last.frames.lowerBound..<ranges.count + 1
    } else {
      let run = ranges.count..<ranges.count + 1
      let place = places.place(of: source) { $0.isSame(as: source) }
      let device = devices.place(of: source.sender) { $0 === source.sender }
      runs.append(Run(place: place, device: device, frames: run))
    }
    ranges.append(bytes.count..<bytes.count + frame.count)
    bytes += frame
  }

  func only(_ indices: [Int]) -> Frames {
    var some = Frames()
    for index in indices where ranges.indices.contains(index) { some.append(Array(frame(index)), from: source(index)) }
    return some
  }

  func frame(_ index: Int) -> ArraySlice<UInt8> { bytes[ranges[index]] }

  func source(_ index: Int) -> PacketSource { places[run(of: index).place] }

  func device(_ index: Int) -> Int { run(of: index).device }

  private func run(of index: Int) -> Run {
    guard let run = runs.first(where: { $0.frames.contains(index) }) else { preconditionFailure("no frame \(index)") }
    return run
  }
}

extension Array {
  /// The index of an element, which is appended if it is missing.
  fileprivate mutating func place(of element: Element, where isSame: (Element) -> Bool) -> Int {
    if let index = firstIndex(where: isSame) { return index }
    append(element)
    return count - 1
  }
}

extension PacketSource {
  /// Each device has one sender.
  fileprivate func isSame(as other: PacketSource) -> Bool { origin == other.origin && sender === other.sender }
}

struct Profile {
  /// The characteristic's UUID, or `advert`.
  let name: String
  var frames = Frames()
}

struct PluginWorkload {
  let plugin: Plugin
  /// In the order in which they arrived.
  var all = Frames()
  var profiles: [Profile] = []

  var id: String { plugin.info.id }

  private let settings = SensorSettings(circumferenceMM: 2105)

  func makePlugin() -> any SensorDecoder { plugin.make(settings) }

  /// As a session makes it: companions come along with a sensor.
  func makeHost() -> PluginHost {
    let types = builtInPlugins.plugins.filter { $0.info.id == id || $0.info.isCompanion }
    return PluginHost(types, settings: settings)
  }

  fileprivate mutating func add(_ bytes: [UInt8], from source: PacketSource) {
    all.append(bytes, from: source)
    let name = source.characteristic?.text ?? "advert"
    if let index = profiles.firstIndex(where: { $0.name == name }) {
      profiles[index].frames.append(bytes, from: source)
    } else {
      profiles.append(Profile(name: name))
      profiles[profiles.count - 1].frames.append(bytes, from: source)
    }
  }
}

/// One workload for each plugin of the registry.
struct Workloads {
  private(set) var plugins: [PluginWorkload] = builtInPlugins.plugins.map { PluginWorkload(plugin: $0) }
  private var devices: [(device: CaptureDevice, sender: Sender)] = []

  /// Reads captures, without the frames that their plugin refuses.
  init(captures paths: [String]) throws {
    for path in paths {
      devices = []
      var reader = CaptureReader()
      let content = try Files.read(path)
      var lines: [CaptureLine] = []
      reader.feed(content.span) { line, _ in if case .success(let line) = line { lines.append(line) } }
      reader.finish { line, _ in if case .success(let line) = line { lines.append(line) } }
      for line in lines { take(line) }
    }
  }

  private mutating func take(_ line: CaptureLine) {
    switch line {
    case .device(let device):
      devices.removeAll { $0.device.id == device.id }
      devices.append((device, Sender(address: device.address ?? device.id, name: device.name ?? "")))
    case .event(let time, let id, let event):
      guard let source = devices.first(where: { $0.device.id == id }) else { return }
      take(event, of: source.device, source.sender, at: time)
    default: return
    }
  }

  private mutating func take(
    _ event: CaptureEvent, of device: CaptureDevice, _ sender: Sender, at time: MonotonicTime
  ) {
    switch event {
    case .value(let verb, let uuid, let bytes):
      for index in plugins.indices {
        let uses = plugins[index].plugin.info.characteristics.filter { $0.characteristic == uuid }
        guard let use = uses.first(where: { device.services.contains($0.service) }) ?? uses.first,
          let origin = PacketSource.Origin(verb, use.service, uuid)
        else { continue }
        add(bytes, from: PacketSource(origin, sender: sender), to: index, at: time)
      }
    case .advert(let company, let bytes):
      for index in plugins.indices {
        add(bytes, from: PacketSource(.manufacturer(company), sender: sender), to: index, at: time)
      }
    case .serviceData(let uuid, let bytes):
      for index in plugins.indices {
        add(bytes, from: PacketSource(.serviceData(uuid), sender: sender), to: index, at: time)
      }
    case .connected, .disconnected: return
    }
  }

  private mutating func add(_ bytes: [UInt8], from source: PacketSource, to index: Int, at time: MonotonicTime) {
    guard plugins[index].plugin.info.knows(source) else { return }
    var host = plugins[index].makeHost()
    var batch = Batch()
    do throws(DecodeError) {
      try host.decode(bytes.span, from: source, at: time, into: &batch)
    } catch {
      return
    }
    plugins[index].add(bytes, from: source)
  }
}

extension PacketSource.Origin {
  /// Nil for what the host wrote.
  fileprivate init?(_ verb: CaptureEvent.Verb, _ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    switch verb {
    case .notify: self = .notified(service: service, characteristic: characteristic)
    case .indicate: self = .indicated(service: service, characteristic: characteristic)
    case .read: self = .read(service: service, characteristic: characteristic)
    case .write: return nil
    }
  }
}

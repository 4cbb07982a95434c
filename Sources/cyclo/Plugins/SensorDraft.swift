// A first file for a sensor without a plugin: a packet per source, a field per byte, and
// comments about the bytes that were observed.

import SensorKit
import Text
import Vocabulary
import Wire

struct SensorDraft {
  private let name: String
  private let services: [BluetoothUUID]
  private let sources: [ObservedSource]
  private let inspected: InspectReply?
  private let builtIn: [SensorInfo]

  /// Of a packet. A file has more names, but few packets are longer.
  private static let mostFields = 60
  /// Of a file.
  private static let mostPackets = 32
  /// A file may have 64 KiB. The last packet and the list at the top need the rest.
  private static let mostBytes = 40 << 10
  private static let mostListed = 64
  /// Generic access and attributes, device information, battery: many devices have these.
  private static let common: [BluetoothUUID] = [0x1800, 0x1801, 0x180a, 0x180f].map { BluetoothUUID($0) }

  /// `name` and `services` are what the device advertises. `inspected` is what it told when it was
  /// connected.
  init(
    _ name: String, services: [BluetoothUUID], _ sources: [ObservedSource], _ inspected: InspectReply?,
    _ plugins: PluginRegistry
  ) {
    self.name = name
    self.services = services
    self.sources = sources
    self.inspected = inspected
    builtIn = plugins.plugins.map(\.info)
  }

  /// There is nothing that a file could be about.
  var isEmpty: Bool { packets.isEmpty }

  var text: String {
    var taken: Set<String> = []
    let packets = packets
    var lines = head(packets) + characteristicLines + decodedLines(packets)
    var (count, bytes) = (0, 0)
    for source in packets {
      guard count < Self.mostPackets, bytes < Self.mostBytes else {
        lines.append("; \(Self.place(source.origin)): \(counted(source.count, "packet")); the file has no room for it.")
        continue
      }
      let added = packet(source, &taken)
      count += 1
      bytes += added.reduce(0) { $0 + $1.utf8.count + 1 }
      lines += added
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What no plugin decodes; if that sent nothing, then what could be received of it, and else all.
  private var packets: [ObservedSource] {
    let own = sources.filter { !isBuiltIn($0) }
    if !own.isEmpty { return own }
    let silent = silentSources
    return silent.isEmpty ? sources : silent
  }

  private var silentSources: [ObservedSource] {
    (inspected?.characteristics ?? []).compactMap { characteristic in
      let properties = characteristic.properties.map(\.known)
      guard let service = BluetoothUUID(characteristic.service), !Self.common.contains(service),
        let uuid = BluetoothUUID(characteristic.characteristic),
        properties.contains(.notify) || properties.contains(.indicate)
      else { return nil }
      let source = ObservedSource.silent(
        .characteristic(service: service, uuid), isIndicated: !properties.contains(.notify))
      return isBuiltIn(source) ? nil : source
    }
  }

  private func isBuiltIn(_ source: ObservedSource) -> Bool {
    guard case .characteristic(let service, let characteristic) = source.origin else { return false }
    return builtIn.contains { info in
      info.characteristics.contains { $0.service == service && $0.characteristic == characteristic }
    }
  }

  // MARK: The head

  private func head(_ packets: [ObservedSource]) -> [String] {
    [
      "; A first file, made from the packets that were observed. Give the fields their meaning:",
      "; cyclometer.sensor(5) describes the language, and 'cyclo plugin check' checks the file.",
      "[Sensor]", "Format = 1", "Id = \(id)", "Title = \(title)",
    ] + serviceLines(packets)
  }

  /// A service that the device does not advertise recognizes it only once it is connected.
  private func serviceLines(_ packets: [ObservedSource]) -> [String] {
    var used: [BluetoothUUID] = []
    var isAdvertised = false
    for source in packets {
      if case .characteristic(let service, _) = source.origin { used.append(service) } else { isAdvertised = true }
    }
    let own = used.filter { !Self.common.contains($0) }
    if let service = services.first(where: own.contains) { return ["Service = \(service)"] }
    guard !isAdvertised, let service = own.first ?? used.first else { return [] }
    if services.contains(service) { return ["Service = \(service)"] }
    let what = inspected == nil ? "The capture does not say that it advertises" : "It does not advertise"
    return [
      "; \(what) this service. If it does not, pair it by its address: 'cyclo scan'",
      "; shows it with --all only.", "Service = \(service)",
    ]
  }

  private var characteristicLines: [String] {
    guard let inspected else { return [] }
    let shown = inspected.characteristics.prefix(Self.mostListed)
    let more = inspected.more + inspected.characteristics.count - shown.count
    return ["; The characteristics of the device, with what it allows and what came:"]
      + shown.map {
        "; \($0.service) \($0.characteristic) \($0.properties.map(\.text).joined(separator: " "))\(outcome($0))"
      }
      + (more > 0 ? ["; and \(more) more"] : [])
  }

  private func outcome(_ characteristic: InspectReply.Characteristic) -> String {
    let source = sources.first { source in
      guard case .characteristic(let service, let uuid) = source.origin else { return false }
      return service.description == characteristic.service && uuid.description == characteristic.characteristic
    }
    return source.map { ": \(counted($0.count, "packet"))" } ?? ""
  }

  private func decodedLines(_ packets: [ObservedSource]) -> [String] {
    let left = sources.filter { source in !packets.contains { $0.origin == source.origin } }
    return left.map { "; \(Self.place($0.origin)) is decoded by a built-in plugin." }
  }

  private var id: String {
    let id = Self.plainName(name)
    return builtIn.contains { $0.id == id } ? id + "_declared" : id
  }

  /// As an id, and as the name of a file.
  static func plainName(_ name: String) -> String {
    var id = ""
    for byte in name.lowercased().utf8 {
      let isPlain = 0x61...0x7a ~= byte || 0x30...0x39 ~= byte
      if isPlain { id.append(Character(Unicode.Scalar(byte))) } else if !id.isEmpty, !id.hasSuffix("_") { id += "_" }
    }
    while id.hasSuffix("_") { id.removeLast() }
    if !(id.utf8.first.map { 0x61...0x7a ~= $0 } ?? false) { id = id.isEmpty ? "sensor" : "sensor_" + id }
    return String(id.prefix(30))
  }

  private var title: String {
    let plain = name.unicodeScalars.filter { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7f && $0 != ";" }
    let title = String(String(String.UnicodeScalarView(plain)).prefix(60))
    return title.allSatisfy { $0 == " " } ? "Unknown sensor" : title
  }

  // MARK: A packet

  private func packet(_ source: ObservedSource, _ taken: inout Set<String>) -> [String] {
    let name = Self.freeName(Self.name(source.origin), &taken)
    let lengths = source.lengths
    var lines = ["", "[Packet \(name)]"] + placeLines(source)
    guard source.count > 0 else {
      return lines + ["; No packet came.", "Rest = ignore", "byte_0 = u8", "[Sample \(name)]", "byte_0 = byte_0"]
    }
    let least = lengths.shortest == lengths.longest ? "" : "\(lengths.shortest) to "
    lines.append("; \(counted(source.count, "packet")) of \(least)\(counted(lengths.longest, "byte"))")
    if source.isText, source.isRead {
      return lines + ["text = text", "[Fact]", "\(name) = text"]
    }
    let kinds = source.kinds
    if let kind = kinds.first {
      let all = kinds.map { "\($0.first) (\(counted($0.length, "byte")))" }.joined(separator: ", ")
      lines.append("; The first byte may be the kind of packet: \(all).")
      lines.append("; If so, divide this one: a [Packet] for each, with 'Match = byte(0) == \(kind.first)'.")
    }
    let count = min(source.bytes.count, Self.mostFields)
    if count < lengths.longest || lengths.shortest < lengths.longest { lines.append("Rest = ignore") }
    for index in 0..<count {
      let condition = index < lengths.shortest ? "" : " if length > \(index)"
      lines.append("byte_\(index) = u8\(condition) ; \(source.bytes[index].text)")
    }
    return lines + ["", "[Sample \(name)]"] + (0..<count).map { "byte_\($0) = byte_\($0)" }
  }

  private func placeLines(_ source: ObservedSource) -> [String] {
    switch source.origin {
    case .characteristic(let service, let characteristic):
      let place = "\(service) \(characteristic)"
      switch (source.isRead, source.isNotified || source.isIndicated) {
      case (true, true): return ["ReadAndNotify = \(place)"]
      case (true, false): return ["Read = \(place)"]
      default: return ["\(source.isIndicated && !source.isNotified ? "Indicate" : "Notify") = \(place)"]
      }
    case .company(let company): return ["Advert = company \(companyText(company))\(nameCondition)"]
    case .serviceData(let uuid): return ["Advert = service \(uuid)\(nameCondition)"]
    }
  }

  /// Other devices have the number of the company too.
  private var nameCondition: String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { 0x21..<0x7f ~= $0 && $0 != 0x3b && $0 != 0x2a }
    return isPlain ? " name=\(name)" : ""
  }

  private static func place(_ origin: ObservedSource.Origin) -> String {
    switch origin {
    case .characteristic(let service, let characteristic): "\(service) \(characteristic)"
    case .company(let company): "company \(companyText(company))"
    case .serviceData(let uuid): "service \(uuid)"
    }
  }

  private static func name(_ origin: ObservedSource.Origin) -> String {
    switch origin {
    case .characteristic(_, let uuid): "raw_\(uuid.description.prefix { $0 != "-" })"
    case .company(let company): "advert_\(companyText(company))"
    case .serviceData(let uuid): "advert_\(uuid.description.prefix { $0 != "-" })"
    }
  }

  private static func freeName(_ wanted: String, _ taken: inout Set<String>) -> String {
    var name = wanted
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }
}

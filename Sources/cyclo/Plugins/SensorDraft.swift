// A first file for a sensor without a plugin: a packet per source, a field per byte, and
// comments about the bytes that were observed.

import SensorKit
import Text
import Vocabulary

struct SensorDraft {
  private let name: String
  private let services: [BluetoothUUID]
  private let sources: [ObservedSource]
  private let builtIn: [SensorInfo]

  /// Of a packet. A file has more names, but few packets are longer.
  private static let mostFields = 60
  /// Generic access and attributes, device information, battery: many devices have these.
  private static let common: [BluetoothUUID] = [0x1800, 0x1801, 0x180a, 0x180f].map { BluetoothUUID($0) }

  /// `name` is what the device advertises.
  init(_ name: String, services: [BluetoothUUID], _ sources: [ObservedSource], _ plugins: PluginRegistry) {
    self.name = name
    self.services = services
    self.sources = sources
    builtIn = plugins.plugins.map(\.info)
  }

  var text: String {
    var taken: Set<String> = []
    let own = sources.filter { !isBuiltIn($0) }
    let packets = (own.isEmpty ? sources : own).filter { $0.count > 0 || $0.isReceived }
    let left = own.isEmpty ? [] : sources.filter(isBuiltIn)
    let lines =
      head(packets) + left.map { "; \(Self.place($0.origin)) is decoded by a built-in plugin." }
      + packets.flatMap { packet($0, &taken) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func isBuiltIn(_ source: ObservedSource) -> Bool {
    guard case .characteristic(let service, let characteristic) = source.origin else { return false }
    return builtIn.contains { info in
      info.characteristics.contains { $0.service == service && $0.characteristic == characteristic }
    }
  }

  // MARK: The head

  private func head(_ packets: [ObservedSource]) -> [String] {
    var lines = [
      "; A first file, made from the packets that were observed. Give the fields their meaning:",
      "; cyclometer.sensor(5) describes the language, and 'cyclo plugin check' checks the file.",
      "[Sensor]", "Format = 1", "Id = \(id)", "Title = \(title)",
    ]
    let used = packets.compactMap { source in
      if case .characteristic(let service, _) = source.origin { service } else { nil }
    }
    let candidates = (services.filter(used.contains) + used).filter { !Self.common.contains($0) }
    if let service = candidates.first ?? used.first { lines.append("Service = \(service)") }
    return lines
  }

  private var id: String {
    var id = ""
    for byte in name.lowercased().utf8 {
      let isPlain = 0x61...0x7a ~= byte || 0x30...0x39 ~= byte
      if isPlain { id.append(Character(Unicode.Scalar(byte))) } else if !id.isEmpty, !id.hasSuffix("_") { id += "_" }
    }
    while id.hasSuffix("_") { id.removeLast() }
    if !(id.utf8.first.map { 0x61...0x7a ~= $0 } ?? false) { id = id.isEmpty ? "sensor" : "sensor_" + id }
    id = String(id.prefix(30))
    return builtIn.contains { $0.id == id } ? id + "_declared" : id
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
    let length =
      lengths.shortest == lengths.longest ? "\(lengths.longest)" : "\(lengths.shortest) to \(lengths.longest)"
    lines.append("; \(counted(source.count, "packet")) of \(length) bytes")
    if source.isText, source.isRead {
      return lines + ["text = text", "[Fact]", "\(name) = text"]
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

extension ObservedSource {
  fileprivate var isReceived: Bool { isNotified || isIndicated }
}

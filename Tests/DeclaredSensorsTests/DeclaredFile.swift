// The files of declared sensors: those that are installed, and those that repeat a built-in sensor.

import DeclaredSensors
import Foundation
import JSON
import SensorKit
import Testing

struct DeclaredFile: CustomTestStringConvertible, Sendable {
  let name: String
  var testDescription: String { name }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
  private static let installedFolder = root.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Config/sensors.d")
  static let installed = names(in: installedFolder, ending: ".sensor").map { DeclaredFile(name: $0) }
  static let withVectors = names(in: root.appending(path: "Vectors"), ending: ".json").map { DeclaredFile(name: $0) }
  static let all =
    installed + names(in: root.appending(path: "Files"), ending: ".sensor").map { DeclaredFile(name: $0) }

  /// The names without their ending.
  static func names(in folder: URL, ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  private var isInstalled: Bool { Self.installed.contains { $0.name == name } }

  var text: [UInt8] {
    get throws {
      let folder = isInstalled ? Self.installedFolder : Self.root.appending(path: "Files")
      return Array(try Data(contentsOf: folder.appending(path: "\(name).sensor")))
    }
  }

  func program() throws -> SensorProgram { try SensorFile(try text, words: SensorWords()).program }

  func vectors() throws -> [DeclaredVector] {
    guard Self.withVectors.contains(where: { $0.name == name }) else { return [] }
    let file = try JSONValue.parse(Array(try Data(contentsOf: Self.root.appending(path: "Vectors/\(name).json"))))
    return (file["vectors"]?.items ?? []).map { DeclaredVector(file: self, value: $0) }
  }

  /// The captures of an installed file have its name and a situation: `ruuvitag-steady`.
  var captures: [DeclaredCapture] {
    DeclaredCapture.all.filter { isInstalled && $0.fileName == name }
  }

  /// The packets of all vectors and captures.
  func sessions(of program: SensorProgram) throws -> [PacketSession] {
    let host = PluginHost([program.plugin], settings: SensorSettings(), name: "")
    return try vectors().map { try $0.session(host) } + captures.flatMap { try $0.sessions(host) }
  }
}

func hexBytes(_ text: String) -> [UInt8] {
  stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
}

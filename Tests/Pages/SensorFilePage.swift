// The files of Config/sensors.d, each with its program and its captures.

import DeclaredSensors
import Foundation
import SensorKit

struct SensorFilePage {
  static let captureFolder = "Tests/DeclaredSensorsTests/Captures"
  private static let folder = "Config/sensors.d"

  /// Without the ending.
  let name: String
  let program: SensorProgram
  /// Names in `captureFolder`. They begin with the name of the file.
  let captures: [String]

  var path: String { "\(Self.folder)/\(name).sensor" }

  static var all: [SensorFilePage] {
    get throws {
      let captures = try names(in: captureFolder).filter { $0.hasSuffix(".capture") }
      return try names(in: folder).filter { $0.hasSuffix(".sensor") }.map { file in
        let name = String(file.dropLast(".sensor".count))
        let text = Array(try Data(contentsOf: SupportedSensors.root.appending(path: "\(folder)/\(file)")))
        return SensorFilePage(
          name: name, program: try SensorFile(text, words: SensorWords()).program,
          captures: captures.filter { $0.prefix { $0 != "-" } == name })
      }
    }
  }

  /// The decoded output of a capture, given by its path.
  static func decoded(_ path: String) throws -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let file = try all.first(where: { $0.captures.contains(String(name)) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    let capture = try DescribedCapture(String(name), in: captureFolder)
    return CaptureFolder.decode(capture.bytes, plugins: [file.program.plugin]).lines
  }

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: SupportedSensors.root.appending(path: folder).path).sorted()
  }
}

// The captures of Tests/Captures, and their decoded output.

import CaptureDecoding
import CaptureFormat
import Foundation
import SensorKit
import Sensors

enum CaptureFolder {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Captures")

  static var captures: [String] {
    let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".capture") }.sorted()
  }

  static func decode(
    _ bytes: [UInt8], inPieces size: Int = .max, plugins: [Plugin] = builtInPlugins.plugins,
    quirks: [Quirk] = builtInPlugins.quirks
  ) -> (lines: String, problems: [CaptureError]) {
    var run = CaptureRun(plugins: PluginRegistry(plugins, quirks: quirks))
    var output: [UInt8] = []
    var problems: [CaptureError] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(size, bytes.count - start)
      run.feed(bytes.span.extracting(start..<end), into: &output) { problems.append($0) }
      start = end
    }
    run.finish(into: &output) { problems.append($0) }
    return (String(decoding: output, as: UTF8.self), problems)
  }
}

// Checks of the plugins: files that the daemon left out, and sensors without a plugin.

import Troubleshooting
import Wire

extension PluginsReply {
  var fileDiagnoses: [Diagnosis] {
    let declared = plugins.count { $0.file != nil }
    let used = declared > 0 ? [SensorFileSymptom.used.diagnosis([.count: String(declared)])] : []
    return used
      + omitted.compactMap { file in
        guard let problem = file.problems.first else { return nil }
        return SensorFileSymptom.omitted.diagnosis([
          .path: file.file, .line: String(problem.line), .message: problem.text,
        ])
      }
  }

  /// Whether the plugin is loaded, or another one in its place.
  fileprivate func has(_ id: String) -> Bool { plugins.contains { $0.id == id || $0.replaces == id } }
}

extension SensorRecord {
  /// `loaded`: the plugins of the daemon, if they are known.
  func pluginDiagnosis(_ loaded: PluginsReply?) -> Diagnosis? {
    if let loaded, let missing = plugins.first(where: { !loaded.has($0) }) {
      return PluginSymptom.missing.diagnosis([.plugin: missing])
    }
    guard plugins.isEmpty, reason?.known != .unsupported, !isStreaming else { return nil }
    return PluginSymptom.none.diagnosis([.sensor: id])
  }
}

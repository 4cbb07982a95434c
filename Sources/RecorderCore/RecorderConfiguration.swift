// The recorder's configuration: every key, its default, and its valid values.

package import LogbookWire
public import ProgramKit

public struct RecorderConfiguration: Configuration, Equatable, Sendable {
  public var logLevel = LogLevel.info
  /// Whether to record ECG and acceleration.
  public var recordSignals = false
  package var exportFolder = ExportFolder.standard
  package var exportFormats: [ExportFormat] = [.fit, .gpx]

  /// Where automatic exports go.
  package enum ExportFolder: Equatable, Sendable {
    case none
    /// `export` in the state directory.
    case standard
    case folder(String)
  }

  public init() {}

  public static let dropInFolder = "recorder.conf.d"

  public static let keys: [ConfigurationKey<RecorderConfiguration>] = [
    ConfigurationKey("Recorder", "LogLevel", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 },
    .flag("Recorder", "RecordSignals") { $0.recordSignals = $1 },
    ConfigurationKey("Export", "ExportTo", "none, or the path of a folder that starts with /", folder(_:)) {
      $0.exportFolder = $1
    },
    ConfigurationKey("Export", "ExportFormats", "one or more of \(formatNames), with blanks between", formats(_:)) {
      $0.exportFormats = $1
    },
  ]

  private static func folder(_ text: String) -> ExportFolder? {
    if text == "none" { return ExportFolder.none }
    return text.hasPrefix("/") ? .folder(text) : nil
  }

  private static var formatNames: String { ExportFormat.allCases.map(\.rawValue).joined(separator: ", ") }

  /// Each once, in their order.
  private static func formats(_ text: String) -> [ExportFormat]? {
    var formats: [ExportFormat] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      guard let format = ExportFormat(rawValue: String(word)) else { return nil }
      if !formats.contains(format) { formats.append(format) }
    }
    return formats.isEmpty ? nil : formats
  }
}

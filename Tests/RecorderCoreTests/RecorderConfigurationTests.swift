// The recorder's configuration: its keys, and that the page and the template list them all.

import LogbookWire
import ProgramKit
import Testing

@testable import RecorderCore

@Suite
struct RecorderConfigurationTests {
  @Test("every key is set from its text")
  func keys() {
    var settings = RecorderConfiguration()
    #expect(settings.set(section: "Recorder", key: "RecordSignals", value: "yes") == nil)
    #expect(settings.set(section: "Recorder", key: "LogLevel", value: "debug") == nil)
    #expect(settings.set(section: "Export", key: "ExportTo", value: "/srv/rides") == nil)
    #expect(settings.set(section: "Export", key: "ExportFormats", value: "tcx  fit fit") == nil)
    #expect(settings.recordSignals && settings.logLevel == .debug)
    #expect(settings.exportFolder == .folder("/srv/rides"))
    #expect(settings.exportFormats == [.tcx, .fit])
    #expect(settings.set(section: "Export", key: "ExportTo", value: "none") == nil)
    #expect(settings.exportFolder == RecorderConfiguration.ExportFolder.none)
  }

  @Test(
    "an invalid value is refused with what is expected",
    arguments: [
      ("Export", "ExportFormats", "fit pdf", "ExportFormats must be one or more of fit, gpx, tcx, csv, ndjson, with"),
      ("Export", "ExportFormats", " ", "ExportFormats must be one or more of"),
      ("Export", "ExportTo", "rides", "ExportTo must be none, or the path of a folder that starts with /"),
      ("Recorder", "RecordSignals", "maybe", "RecordSignals must be yes or no"),
    ])
  func invalid(section: String, key: String, value: String, expected: String) {
    var settings = RecorderConfiguration()
    #expect(settings.set(section: section, key: key, value: value)?.hasPrefix(expected) == true)
    #expect(settings == RecorderConfiguration())
  }
}

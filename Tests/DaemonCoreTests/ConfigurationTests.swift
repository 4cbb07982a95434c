// The shipped configuration and its manual page list every key with its default, and no others.

import Foundation
import Linux
import Metrics
import TestSupport
import Testing

@testable import DaemonCore

@Suite struct ConfigurationTests {
  private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.project.appending(path: path), encoding: .utf8)
  }

  @Test("the shipped configuration lists every key with its default")
  func shippedFile() throws {
    var configuration = Configuration()
    (configuration.logLevel, configuration.metricsAccess) = (.debug, .everyone)
    configuration.powerOn = false
    configuration.adapter = DeviceAddress("00:11:22:33:44:55")
    (configuration.ride.autoPauseSpeedMps, configuration.ride.autoPauseDelayS) = (1, 1)
    (configuration.ride.lapDistanceM, configuration.ride.rideGapS) = (1, 1)
    var keys: [String: [String]] = [:]
    var section = ""
    for line in try text("Config/cyclometer.conf").split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().prefix { $0 != "]" }) }
      guard let (_, key, value) = line.wholeMatch(of: /#([A-Z][A-Za-z]+)=(.*)/)?.output else { continue }
      #expect(configuration.set(section: section, key: String(key), value: String(value)) == nil, "\(line)")
      keys[section, default: []].append(String(key))
    }
    #expect(configuration == Configuration())
    #expect(Set(keys.keys) == Set(Configuration.sections))
    for (section, keys) in keys { #expect(keys.sorted() == Configuration.keys(of: section)) }
  }

  @Test("the manual page lists every section and key")
  func manualPage() throws {
    let page = try text("man/cyclometer.conf.5")
    for section in Configuration.sections {
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in Configuration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }

  @Test("valid lap distances are accepted", arguments: ["none", "0.1", "1000", "5.5"])
  func lapDistance(_ value: String) {
    var configuration = Configuration()
    #expect(configuration.set(section: "Ride", key: "LapDistance", value: value) == nil)
    #expect(configuration.ride.lapDistanceM == Double(value).map { $0 * 1000 })
  }

  @Test("invalid lap distances are refused", arguments: ["", "never", "0", "0.09", "1001", "-5", "nan", "5 km"])
  func invalidLapDistance(_ value: String) {
    var configuration = Configuration()
    let expected = configuration.set(section: "Ride", key: "LapDistance", value: value)
    #expect(expected == "LapDistance must be none, or 0.1 to 1000 (kilometres)")
    #expect(configuration == Configuration())
  }

  /// An unreadable file must not count as missing, because then all defaults would apply.
  @Test("an unreadable file is an error that names it", arguments: ["cyclometer.conf", "conf.d/10-mine.conf"])
  func unreadableFile(_ name: String) throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("conf.d"), mode: 0o700)
    try Files.createDirectory(folder.file(name), mode: 0o700)
    let refusal = #expect(throws: ConfigurationError.self) { try Configuration.load(folder.file("cyclometer.conf")) }
    #expect(refusal?.file == folder.file(name) && refusal?.line == 0 && refusal?.problem.isEmpty == false)
  }

  @Test("conf.d that is not a folder is an error that names it")
  func notAFolder() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("conf.d"), with: [], mode: 0o600)
    let refusal = #expect(throws: ConfigurationError.self) { try Configuration.load(folder.file("cyclometer.conf")) }
    #expect(refusal?.file == folder.file("conf.d") && refusal?.line == 0 && refusal?.problem.isEmpty == false)
  }
}

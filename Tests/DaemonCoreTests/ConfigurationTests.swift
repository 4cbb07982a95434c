// The shipped configuration and its manual page list every key with its default, and no others.

import Foundation
import Linux
import Metrics
import ProgramKit
import Radio
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
    var configuration = DaemonConfiguration()
    (configuration.logLevel, configuration.metricsAccess) = (.debug, .everyone)
    configuration.radio.powerOn = false
    configuration.radio.adapter = DeviceAddress("00:11:22:33:44:55")
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
    #expect(configuration == DaemonConfiguration())
    #expect(Set(keys.keys) == Set(DaemonConfiguration.sections))
    for (section, keys) in keys { #expect(keys.sorted() == DaemonConfiguration.keys(of: section)) }
  }

  @Test("the manual page lists every section and key")
  func manualPage() throws {
    let page = try text("man/cyclometer.conf.5")
    for section in DaemonConfiguration.sections {
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in DaemonConfiguration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }

  @Test("valid lap distances are accepted", arguments: ["none", "0.1", "1000", "5.5"])
  func lapDistance(_ value: String) {
    var configuration = DaemonConfiguration()
    #expect(configuration.set(section: "Ride", key: "LapDistance", value: value) == nil)
    #expect(configuration.ride.lapDistanceM == Double(value).map { $0 * 1000 })
  }

  @Test("invalid lap distances are refused", arguments: ["", "never", "0", "0.09", "1001", "-5", "nan", "5 km"])
  func invalidLapDistance(_ value: String) {
    var configuration = DaemonConfiguration()
    let expected = configuration.set(section: "Ride", key: "LapDistance", value: value)
    #expect(expected == "LapDistance must be none, or 0.1 to 1000 (kilometres)")
    #expect(configuration == DaemonConfiguration())
  }
}

// The configuration that is shipped, and its page: every key with its default, and none that there is not.

import Foundation
import Metrics
import Testing

@testable import DaemonCore

@Suite struct ConfigurationTests {
  private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.project.appending(path: path), encoding: .utf8)
  }

  @Test func theShippedFileNamesEveryKeyWithItsDefault() throws {
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

  @Test func thePageNamesEveryKey() throws {
    let page = try text("man/cyclometer.conf.5")
    for section in Configuration.sections {
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in Configuration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }
}

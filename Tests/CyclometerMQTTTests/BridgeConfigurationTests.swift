// The configuration: its keys, which values go together, and that the page of the manual and the
// template list them all.

import Fleet
import Foundation
import Linux
import MQTT
import ProgramKit
import TestSupport
import Testing

@testable import BridgeCore

@Suite struct BridgeConfigurationTests {
  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../"
    return try String(contentsOfFile: root + path, encoding: .utf8)
  }

  @Test(
    "an invalid value is refused with what is expected, and changes nothing",
    arguments: [
      ("Broker", "Address", "broker.example", "mqtts://HOST:PORT"),
      ("Broker", "Address", "mqtts://", "mqtts://HOST:PORT"),
      ("Broker", "PasswordFile", "password", "starts with /"),
      ("Broker", "CA", "none", "starts with /"),
      ("Broker", "Insecure", "perhaps", "yes or no"),
      ("Fleet", "Group", "Studio 7", "small letters, digits or -"),
      ("Fleet", "Group", "", "small letters, digits or -"),
      ("Fleet", "Receiver", String(repeating: "a", count: 33), "1 to 32"),
      ("Fleet", "Live", "sometimes", "always, wanted or never"),
      ("Fleet", "Kinds", "", "blanks between"),
      ("Fleet", "Kinds", "heart_rate, power", "blanks between"),
      ("Fleet", "Control", "ride", "yes or no"),
      ("Fleet", "Allow", "pair", "ride and command"),
      ("Fleet", "Allow", "ride set", "ride and command"),
      ("Fleet", "Allow", "", "ride and command"),
      ("Fleet", "Roaming", "perhaps", "yes or no"),
      ("Fleet", "Pin", "strap@bike-7", "ADDRESS@RECEIVER"),
      ("Fleet", "Pin", "C0:FF:EE:00:00:01", "ADDRESS@RECEIVER"),
      ("Fleet", "Pin", "C0:FF:EE:00:00:01@Bike", "ADDRESS@RECEIVER"),
      ("Fleet", "Pin", "C0:FF:EE:00:00:01@a C0:FF:EE:00:00:01@b", "ADDRESS@RECEIVER"),
      ("Fleet", "PinGrace", "1", "5 to 3600"),
      ("Log", "BatchSeconds", "0.5", "1 to 60 (seconds)"),
      ("Log", "SpoolMiB", "1", "2 to 65536"),
      ("Log", "SpoolMiB", "2.5", "2 to 65536"),
      ("Wall", "Groups", "", "names of groups"),
      ("Wall", "Groups", "studio-7, home", "names of groups"),
      ("HomeAssistant", "Prefix", "home/#", "a topic"),
      ("HomeAssistant", "Prefix", "/home", "a topic"),
      ("HomeAssistant", "Prefix", "a\u{11}", "a topic"),
      ("Bridge", "LogLevel", "loud", "error, warning, info or debug"),
    ])
  func invalid(section: String, key: String, value: String, expectation: String) {
    var settings = BridgeConfiguration()
    let complaint = settings.set(section: section, key: key, value: value)
    #expect(complaint?.contains(expectation) == true, "\(complaint ?? "accepted")")
    #expect(settings == BridgeConfiguration())
  }

  private func settings(_ lines: [(section: String, key: String, value: String)]) -> BridgeConfiguration {
    var settings = BridgeConfiguration()
    for line in lines {
      let complaint = settings.set(section: line.section, key: line.key, value: line.value)
      #expect(complaint == nil, "\(line): \(complaint ?? "")")
    }
    return settings
  }

  @Test("the values are read")
  func values() {
    let settings = settings([
      ("Broker", "Address", "mqtts://broker.example"), ("Fleet", "Receiver", "bike-7"),
      ("Fleet", "Kinds", "heart_rate  power"), ("Fleet", "Allow", "ride,command"), ("Log", "SpoolMiB", "128"),
      ("HomeAssistant", "Prefix", "ha/Main-1"),
    ])
    #expect(settings.address?.port == 8883 && settings.address?.isEncrypted == true)
    #expect(settings.receiver?.text == "bike-7" && settings.kinds == ["heart_rate", "power"])
    #expect(settings.allowed == [.ride, .command])
    #expect(settings.spoolMiB == 128 && settings.homeAssistantPrefix == "ha/Main-1")
    #expect(settings.conflict == nil)
  }

  @Test(
    "values that do not go together are refused with what to do",
    arguments: [
      ([("Address", "mqtt://broker.example")], "Insecure=yes"),
      ([("Address", "mqtt://192.168.1.2:1883")], "mqtts://"),
      ([("Address", "mqtts://broker.example"), ("Key", "/k")], "Certificate="),
      ([("Address", "mqtts://broker.example"), ("Certificate", "/c")], "Key="),
      ([("Address", "mqtts://broker.example"), ("PasswordFile", "/p")], "User="),
      ([("Address", "mqtt://localhost"), ("Certificate", "/c"), ("Key", "/k")], "mqtts://"),
    ])
  func conflicts(lines: [(String, String)], words: String) {
    let conflict = settings(lines.map { ("Broker", $0, $1) }).conflict
    #expect(conflict?.contains(words) == true, "\(conflict ?? "accepted")")
  }

  @Test("pins are read by address, and need roaming")
  func pins() {
    let pin = ("Fleet", "Pin", "C0:FF:EE:00:00:01@bike-7  C0:FF:EE:00:00:02@bike-8")
    let roaming = settings([("Fleet", "Roaming", "yes"), pin])
    #expect(roaming.pins.mapValues(\.text) == ["C0:FF:EE:00:00:01": "bike-7", "C0:FF:EE:00:00:02": "bike-8"])
    #expect(roaming.conflict == nil && roaming.roams)
    #expect(settings([pin]).conflict?.contains("Roaming=yes") == true)
  }

  @Test("Control=yes needs to say what is allowed")
  func controlConflict() {
    let conflict = settings([("Fleet", "Control", "yes")]).conflict
    #expect(conflict?.contains("Allow=ride") == true, "\(conflict ?? "accepted")")
    #expect(settings([("Fleet", "Control", "yes"), ("Fleet", "Allow", "command")]).conflict == nil)
  }

  @Test("a wall without records needs no daemon, so it refuses what needs one")
  func wall() {
    let lines = [("Log", "Records", "no"), ("Wall", "Groups", "studio-7  home")]
    let alone = settings(lines.map { (section: $0.0, key: $0.1, value: $0.2) })
    #expect(alone.wallGroups.map(\.text) == ["studio-7", "home"] && alone.isWallOnly && alone.conflict == nil)
    for (section, key) in [("HomeAssistant", "Enabled"), ("Fleet", "Control"), ("Fleet", "Roaming")] {
      let both = settings((lines + [(section, key, "yes")]).map { (section: $0.0, key: $0.1, value: $0.2) })
      #expect(both.conflict?.hasPrefix("\(key)=yes") == true && both.conflict?.hasSuffix("set Records=yes") == true)
    }
    #expect(!settings([("Wall", "Groups", "home")]).isWallOnly, "it is a receiver, too")
  }

  @Test(
    "without encryption, only this computer is allowed",
    arguments: ["mqtt://localhost", "mqtt://127.0.0.1:1884", "mqtt://[::1]", "mqtts://broker.example"])
  func loopback(address: String) { #expect(settings([("Broker", "Address", address)]).conflict == nil) }

  @Test("Insecure=yes allows a network without encryption")
  func insecure() {
    let settings = settings([("Broker", "Address", "mqtt://broker.example"), ("Broker", "Insecure", "yes")])
    #expect(settings.conflict == nil)
  }

  @Test("a file whose values do not go together is refused with its name")
  func file() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("mqtt.conf")
    try Files.replace(path, with: Array("[Broker]\nAddress=mqtt://broker.example\n".utf8), mode: 0o600)
    do throws(ConfigurationError) {
      _ = try BridgeConfiguration.load(path)
      Issue.record("it was accepted")
    } catch {
      #expect(error.description.hasPrefix("\(path): Address=mqtt://broker.example:1883 would send"), "\(error)")
    }
  }

  @Test("the template lists every key with its default, and the manual page lists every key")
  func documentation() throws {
    var settings = BridgeConfiguration()
    var (section, keys) = ("", [String: [String]]())
    for line in try text("Config/mqtt.conf").split(separator: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().prefix { $0 != "]" }) }
      guard let (_, key, value) = line.wholeMatch(of: /#([A-Z][A-Za-z]+)=(.*)/)?.output else { continue }
      #expect(settings.set(section: section, key: String(key), value: String(value)) == nil, "\(line)")
      keys[section, default: []].append(String(key))
    }
    #expect(settings == BridgeConfiguration())
    let page = try text("man/cyclometer-mqtt.conf.5")
    for section in BridgeConfiguration.sections {
      #expect(keys[section]?.sorted() == BridgeConfiguration.keys(of: section))
      #expect(page.contains(".SH \"[\(section)]\""))
      for key in BridgeConfiguration.keys(of: section) { #expect(page.contains("\n.BR \(key) \"="), "\(key)") }
    }
  }
}

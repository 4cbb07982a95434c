// The rider: read, changed, cleared and refused. The file is private to the daemon's user, and an
// unreadable one is never overwritten.

import Foundation
import JSON
import Linux
import Metrics
import TestSupport
import Testing

@testable import DaemonCore
@testable import Ride

@Suite struct RiderTests {
  private func ask(_ test: TestDaemon, _ client: TestClient, _ params: String = "{}") throws -> JSONValue? {
    client.send(#"{"id":9,"method":"rider","params":\#(params)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(9)
  }

  @Test("rider fields are stored, returned and cleared")
  func fields() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    #expect(try ask(test, client)?["result"] == [:])
    let told = try ask(
      test, client, #"{"weight_kg":72.5,"sex":"female","zone_floors_bpm":[95,114,133],"of_a_later_release":7}"#)
    #expect(told?["result"] == ["weight_kg": 72.5, "sex": "female", "zone_floors_bpm": [95, 114, 133]])
    #expect(try ask(test, client)?["result"] == told?["result"])
    let left = try ask(test, client, #"{"weight_kg":null,"sex":"","zone_floors_bpm":[],"age_years":41}"#)
    #expect(left?["result"] == ["age_years": 41])
  }

  @Test("subscribers are told that the rider has changed, and nothing of the data")
  func change() throws {
    let test = try TestDaemon()
    let (rider, subscriber) = (try test.connect(), try test.connect())
    subscriber.send(#"{"id":1,"method":"subscribe","params":{"kinds":["speed"],"events":false}}"#)
    try test.run(for: .milliseconds(10))
    _ = try ask(test, rider)
    #expect(try subscriber.all("rider").isEmpty)
    _ = try ask(test, rider, #"{"height_m":1.8}"#)
    _ = try ask(test, rider, #"{"height_m":1.8}"#)
    #expect(try subscriber.all("rider") == [["class": "rider"]])
    _ = try ask(test, rider, #"{"height_m":3}"#)
    #expect(try subscriber.all("rider").count == 1, "a refused change is none")
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let params: String
    let words: String
    var testDescription: String { params }
  }

  private static let mistakes: [Bad] = [
    Bad(params: #"{"weight_kg":5}"#, words: "weight_kg is a number from 20 to 300 kg (what the rider weighs)"),
    Bad(params: #"{"weight_kg":"heavy"}"#, words: "weight_kg is a number from 20 to 300 kg (what the rider weighs)"),
    Bad(params: #"{"weight_kg":[70]}"#, words: "weight_kg is a number from 20 to 300 kg (what the rider weighs)"),
    Bad(params: #"{"weight_kg":true}"#, words: "weight_kg is a number from 20 to 300 kg (what the rider weighs)"),
    Bad(params: #"{"age_years":130}"#, words: "age_years is a number from 5 to 120 years (age in years)"),
    Bad(params: #"{"sex":"other"}"#, words: "sex is female or male"),
    Bad(params: #"{"sex":1}"#, words: "sex is female or male"),
    Bad(
      params: #"{"zone_floors_bpm":[120,110]}"#,
      words: "zone_floors_bpm is 2 to 10 rising numbers, each 0 to 250 beats a minute"),
    Bad(
      params: #"{"zone_floors_bpm":[100,"x"]}"#,
      words: "zone_floors_bpm is 2 to 10 rising numbers, each 0 to 250 beats a minute"),
    Bad(
      params: #"{"zone_floors_bpm":120}"#,
      words: "zone_floors_bpm is 2 to 10 rising numbers, each 0 to 250 beats a minute"),
    Bad(params: #"{"resting_bpm":100,"threshold_bpm":90}"#, words: "resting_bpm is not below threshold_bpm"),
    Bad(
      params: #"{"age_years":41,"max_bpm":20}"#,
      words: "max_bpm is a number from 100 to 250 beats a minute (the highest heart rate that the rider reaches)"),
  ]

  @Test("an invalid rider is refused as a whole, with a message", arguments: mistakes)
  func refusals(bad: Bad) throws {
    let test = try TestDaemon()
    let client = try test.connect()
    _ = try ask(test, client, #"{"weight_kg":70}"#)
    let refusal = try ask(test, client, bad.params)
    #expect(refusal?["code"] == "bad_request")
    #expect(refusal?["message"]?.text == bad.words)
    #expect(try ask(test, client)?["result"] == ["weight_kg": 70])
  }

  @Test("the rider survives a restart in a file with mode 600")
  func restart() throws {
    let folder = try TemporaryFolder()
    do {
      let test = try TestDaemon(in: folder)
      _ = try ask(test, test.connect(), #"{"weight_kg":70,"zone_floors_bpm":[90,120.5]}"#)
      test.daemon.stop()
    }
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file("rider.json"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    #expect(test.daemon.rider.rider.weightKg == 70 && test.daemon.rider.rider.zoneFloorsBpm == [90, 120.5])
  }

  @Test("a rider that cannot be saved is an error and stays unchanged")
  func writeError() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    // A folder in place of the new file makes writing fail even for root.
    try Files.createDirectory(test.folder.file("rider.json.new"), mode: 0o700)
    #expect(try ask(test, client, #"{"weight_kg":70}"#)?["code"] == "internal")
    #expect(try ask(test, client)?["result"] == [:])
  }

  @Test("metrics.sock denies access to the rider")
  func metricsSocket() throws {
    let test = try TestDaemon()
    let client = try test.connect("metrics.sock")
    #expect(try ask(test, client, "7")?["code"] == "denied")
  }

  private static let damagedFiles: [(String, String)] = [
    ("", "is damaged"), ("[]", "is damaged"), (#"{"version":1,"weight_kg":"#, "is damaged"),
    (#"{"version":1,"weight_kg":5}"#, "is damaged"), (#"{"version":"1"}"#, "is damaged"),
    (#"{"version":2,"weight_kg":70}"#, "was written by a newer release (format 2)"),
  ]

  @Test("an unusable rider.json is set aside and logged", arguments: damagedFiles)
  func damagedFile(content: String, what: String) throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("rider.json"), with: Array(content.utf8), mode: 0o600)
    let test = try TestDaemon(in: folder)
    #expect(test.logged.lines.contains { $0.contains("rider.json \(what): renamed it to") }, "\(test.logged.lines)")
    #expect(try Files.read(folder.file("rider.json.damaged-1")) == Array(content.utf8))
    #expect(try ask(test, test.connect(), #"{"age_years":41}"#)?["result"] == ["age_years": 41])
  }
}

// A radar that a file declares: its samples are published, and it counts for the ride's warnings only in
// the place of a built-in radar.

import JSON
import Linux
import Radio
import SensorKit
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct DeclaredRadarTests {
  private static let page = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa001))

  private func radar(replaces: String?, _ folder: TemporaryFolder) throws {
    let text = """
      [Sensor]
      Format = 1
      Id = my_radar
      Title = Radar
      Service = a000
      StaleAfter = 3
      \(replaces.map { "Replaces = \($0)" } ?? "")
      [Packet page]
      Notify = a000 a001
      cars = car[]
      [Group car]
      id = u8
      metres = u8
      speed = u8
      [Object car]
      id = id
      distance_m = metres
      approach_speed_mps = speed
      level = 2
      [Sample radar]
      clear = count(cars) == 0
      targets = each cars
      """
    try Files.replace(folder.file("radar.sensor"), with: Array(text.utf8), mode: 0o644)
  }

  private func warnings(replaces: String?) throws -> (samples: Int, events: [String]) {
    let folder = try TemporaryFolder()
    try radar(replaces: replaces, folder)
    let daemon = try TestDaemon(sensors: folder.path)
    daemon.radio.offers = [Self.page]
    let client = try daemon.pairStrap(name: "Radar", measurement: Self.page, first: [1, 100, 10])
    for metres: UInt8 in [80, 60, 40, 20] {
      daemon.radio.link?.notify([1, metres, 10], from: Self.page)
      try daemon.run(for: .seconds(1))
    }
    daemon.radio.link?.lose()
    try daemon.run(for: .seconds(5))
    let samples = try client.all("sample").filter { $0["kind"] == "radar" }
    return (samples.count, try client.all("event").compactMap { $0["event"]?.text }.filter { $0.hasPrefix("radar") })
  }

  @Test("a declared radar is published, but the ride does not warn of its cars")
  func other() throws {
    let result = try warnings(replaces: nil)
    #expect(result.samples >= 4 && result.events.isEmpty)
  }

  @Test("in the place of a plugin that is not a radar, it does not count either")
  func replacesOther() throws {
    #expect(try warnings(replaces: "moxy").events.isEmpty)
  }

  @Test("in the place of a built-in radar, it counts")
  func replacesRadar() throws {
    let result = try warnings(replaces: "varia_radar")
    #expect(result.events.contains("radar_approach") && result.events.contains("radar_lost"))
  }

  @Test("only a radar that counts is connected before others")
  func urgency() throws {
    for (replaced, isUrgent) in [(nil, false), ("varia_radar", true)] as [(String?, Bool)] {
      let folder = try TemporaryFolder()
      try radar(replaces: replaced, folder)
      let daemon = try TestDaemon(sensors: folder.path)
      let plugin = daemon.daemon.plugins.shelf.registry.plugins.first { $0.info.id == "my_radar" }
      #expect(plugin?.info.watchesTheRoad == isUrgent)
    }
  }
}

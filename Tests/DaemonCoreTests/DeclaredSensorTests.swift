// Sensors that files declare, in the daemon and in virtual time: pairing, reloading, and files that
// come and go.

import JSON
import Linux
import Radio
import SensorKit
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct DeclaredSensorTests {
  private let folder: TemporaryFolder
  private let daemon: TestDaemon
  private static let turns = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa001))
  private static let control = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa002))

  init() throws {
    folder = try TemporaryFolder()
    daemon = try TestDaemon(sensors: folder.path)
    daemon.radio.offers = [Self.turns, Self.control]
  }

  private func write(_ text: String, _ name: String = "turns.sensor") throws {
    try Files.replace(folder.file(name), with: Array(text.utf8), mode: 0o644)
  }

  private func reload() throws {
    daemon.daemon.readFiles()
    try daemon.run(for: .milliseconds(100))
  }

  private func turns(id: String = "turns", unit: Int = 1, start: String = "01", limits: String = "") -> String {
    """
    [Sensor]
    Format = 1
    Id = \(id)
    Title = Turns
    Service = a000
    \(limits)
    [Packet turns]
    Notify = a000 a001
    count = u16
    [Counter turns]
    Count = count
    Unit = \(unit)
    [Sample turns]
    turns = turns.total
    [Start]
    Subscribe = turns
    Write = a000 a002: \(start)
    """
  }

  private func heartRate(_ id: String, replaces: String? = nil) -> String {
    """
    [Sensor]
    Format = 1
    Id = \(id)
    Title = Heart rate
    Service = 180d
    \(replaces.map { "Replaces = \($0)" } ?? "")
    [Packet measurement]
    Notify = 180d 2a37
    flags = u8
    bpm = u8
    [Sample \(id)_rate]
    bpm = bpm
    """
  }

  private func notify(_ count: UInt8) throws {
    daemon.radio.link?.notify([count, 0], from: Self.turns)
    try daemon.run(for: .milliseconds(10))
  }

  private func pair() throws -> TestClient {
    try write(turns())
    try reload()
    let client = try daemon.pairStrap(measurement: Self.turns, first: [5, 0])
    #expect(daemon.state() == .streaming)
    return client
  }

  private func lastTurns(_ client: TestClient) throws -> Double? {
    try client.all("sample").last { $0["kind"] == "turns" }?["turns"]?.number
  }

  private var plugins: [String]? { daemon.daemon.sensors.roster.sensors.first?.plugins }

  @Test("a sensor of a file is paired and streams")
  func pairs() throws {
    let client = try pair()
    try notify(7)
    #expect(try lastTurns(client) == 2)
    #expect(plugins == ["turns"])
    #expect(daemon.radio.written == [[1]])
  }

  @Test("a sensor whose file did not change keeps its counters, and its link stays")
  func unchanged() throws {
    let client = try pair()
    try write(turns(id: "others"), "others.sensor")
    try reload()
    try notify(8)
    #expect(try lastTurns(client) == 3)
    #expect(daemon.radio.links.count == 1 && daemon.radio.written == [[1]])
  }

  @Test("a sensor whose file changed begins again on the same link")
  func changed() throws {
    let client = try pair()
    try write(turns(unit: 10, start: "02"))
    try reload()
    #expect(daemon.radio.links.count == 1 && daemon.radio.written == [[1], [2]])
    try notify(7)
    try notify(9)
    #expect(try lastTurns(client) == 20)
    #expect(daemon.state() == .streaming)
  }

  @Test("a sensor whose file was removed reports that, and works again when the file is back")
  func removed() throws {
    let client = try pair()
    try Files.remove(folder.file("turns.sensor"))
    try reload()
    #expect(daemon.state() == .error && daemon.reason() == .unsupported)
    #expect(daemon.logged.lines.contains { $0.contains("its plugin turns is not loaded") })
    #expect(plugins == ["turns"])
    try write(turns())
    try reload()
    #expect(daemon.state() == .searching)
    daemon.radio.advertise()
    try daemon.run(for: .milliseconds(200))
    try notify(11)
    #expect(daemon.state() == .streaming)
    #expect(try client.all("sample").last?["kind"] == "turns")
  }

  @Test("a sensor that connects without its file reports that too")
  func missingAtConnect() throws {
    _ = try pair()
    daemon.radio.link?.lose()
    try Files.remove(folder.file("turns.sensor"))
    try reload()
    daemon.radio.advertise()
    try daemon.run(for: .milliseconds(200))
    #expect(daemon.state() == .error && daemon.reason() == .unsupported)
  }

  private func writeTag(source: String = "Advert = company 0a0b") throws {
    let text = """
      [Sensor]
      Format = 1
      Id = tag
      Title = Tag
      Service = a000
      [Packet tag]
      \(source)
      level = u8
      [Sample tag]
      level = level
      """
    try write(text, "tag.sensor")
    try reload()
  }

  private func pairTag() throws -> String {
    try writeTag()
    let client = try daemon.connect()
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try daemon.run(for: .milliseconds(1))
    try advertiseTag()
    let id = try #require(daemon.daemon.sensors.roster.sensors.first?.id)
    #expect(daemon.state(id) == .streaming && daemon.radio.links.isEmpty)
    return id
  }

  @Test("a sensor that only advertised is connected when its file subscribes, and the reverse")
  func broadcasterChanges() throws {
    let id = try pairTag()
    try writeTag(source: "Notify = a000 a001")
    #expect(daemon.state(id) == .searching)
    try advertiseTag()
    try daemon.run(for: .milliseconds(200))
    daemon.radio.link?.notify([3], from: Self.turns)
    try daemon.run(for: .milliseconds(10))
    #expect(daemon.state(id) == .streaming && daemon.radio.links.count == 1)
    try writeTag()
    try daemon.run(for: .milliseconds(200))
    #expect(!daemon.radio.hasOpenLink)
    try advertiseTag()
    #expect(daemon.state(id) == .streaming && daemon.radio.links.count == 1)
  }

  @Test("a sensor that only advertises is not searched for without its file, and may return as another")
  func missingBroadcaster() throws {
    let id = try pairTag()
    try daemon.run(for: .seconds(1))
    daemon.radio.change(to: .adapterOff)
    daemon.radio.change(to: nil)
    #expect(daemon.state(id) == .searching)
    try Files.remove(folder.file("tag.sensor"))
    try reload()
    #expect(daemon.state(id) == .error && daemon.reason(id) == .unsupported)
    try writeTag(source: "Notify = a000 a001")
    try advertiseTag()
    try daemon.run(for: .milliseconds(200))
    #expect(daemon.radio.links.count == 1)
  }

  @Test("a sensor that only advertises is not searched for after a start without its file, until the file is back")
  func broadcasterAtStart() throws {
    let id = try pairTag()
    daemon.daemon.stop()
    try Files.remove(folder.file("tag.sensor"))
    let runtime = try TemporaryFolder()
    let again = try TestDaemon(in: daemon.folder, runtime: runtime.path, sensors: folder.path)
    try again.run(for: .seconds(1))
    #expect(again.state(id) == .error && again.reason(id) == .unsupported && !again.radio.isSearching)
    #expect(again.logged.lines.contains { $0.contains("its plugin tag is not loaded") })
    // Nor after another file, or after the sensor was enabled again.
    again.daemon.readFiles()
    try again.run(for: .seconds(1))
    #expect(again.state(id) == .error && !again.radio.isSearching)
    let client = try TestClient(runtime.path + "/control.sock", daemon: again)
    client.send(#"{"id":3,"method":"disable","params":{"sensor":"\#(id)"}}"#)
    #expect(try again.run { again.state(id) == .disabled })
    client.send(#"{"id":4,"method":"enable","params":{"sensor":"\#(id)"}}"#)
    #expect(try again.run { again.state(id) != .disabled })
    try again.run(for: .seconds(1))
    #expect(again.state(id) == .error && !again.radio.isSearching)
    try writeTag()
    again.daemon.readFiles()
    try again.run(for: .milliseconds(100))
    #expect(again.state(id) == .searching && again.radio.isSearching)
    try advertiseTag(to: again)
    #expect(again.state(id) == .streaming && again.radio.links.isEmpty)
  }

  @Test("a sensor that was connected is searched for after a start without its file, because another may support it")
  func connectedAtStart() throws {
    _ = try pair()
    daemon.daemon.stop()
    try Files.remove(folder.file("turns.sensor"))
    let runtime = try TemporaryFolder()
    let again = try TestDaemon(in: daemon.folder, runtime: runtime.path, sensors: folder.path)
    try again.run(for: .seconds(1))
    #expect(again.state() == .searching && again.radio.isSearching)
  }

  private func advertiseTag(to other: TestDaemon? = nil) throws {
    let daemon = other ?? daemon
    var advert = Advert(address: .other, name: "Tag", rssi: -70, services: [])
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x0a0b, value: [7])]
    daemon.radio.delegate?.radio(received: advert)
    try daemon.run(for: .milliseconds(1))
  }

  @Test("a sensor that only advertises reports a removed file, and streams again when the file is back")
  func removedBroadcaster() throws {
    let id = try pairTag()
    let client = try daemon.connect()
    try Files.remove(folder.file("tag.sensor"))
    try reload()
    #expect(daemon.state(id) == .error && daemon.reason(id) == .unsupported)
    try writeTag()
    try advertiseTag()
    #expect(daemon.state(id) == .streaming)
    client.send(#"{"id":3,"method":"disable","params":{"sensor":"\#(id)"}}"#)
    try daemon.run(for: .milliseconds(1))
    try Files.remove(folder.file("tag.sensor"))
    try reload()
    #expect(daemon.state(id) == .disabled)
  }

  @Test("a file's plugin joins a built-in one when a sensor is paired")
  func joins() throws {
    try write(heartRate("mine"))
    try reload()
    daemon.radio.offers = [.measurement]
    let client = try daemon.pairStrap()
    #expect(plugins == ["heart_rate", "mine"])
    let kinds = Set(try client.all("sample").compactMap { $0["kind"]?.text })
    #expect(kinds == ["heart_rate", "mine_rate"])
  }

  @Test("an event of a file is published with its sensor, by the kind of its name")
  func event() throws {
    try write(turns() + "\n[Packet tap]\nNotify = a000 a003\ncount = u8\n[Event tap]\ncount = count\n")
    try reload()
    let tap = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa003))
    daemon.radio.offers.append(tap)
    let client = try daemon.pairStrap(measurement: Self.turns, first: [5, 0])
    daemon.radio.link?.notify([2], from: tap)
    try daemon.run(for: .milliseconds(10))
    let event = try client.all("event").last
    #expect(event?["event"] == "tap" && event?["count"] == 2)
    #expect(event?["sensor"]?.text == daemon.daemon.sensors.roster.sensors.first?.id)
  }

  @Test("a sensor that sends nothing by itself is kept alive from the start")
  func keptAlive() throws {
    let client = try pair()
    daemon.radio.link?.lose()
    try write(turns() + "\nKeepAlive = 2 a000 a002: 07\n")
    try reload()
    daemon.radio.advertise()
    try daemon.run(for: .seconds(5))
    #expect(daemon.radio.written.filter { $0 == [7] }.count == 2)
    _ = client
  }

  @Test("a changed file that says when a sensor is stale counts for a sensor that is silent already")
  func stale() throws {
    let client = try pair()
    try write(turns(limits: "StaleAfter = 3"))
    try reload()
    #expect(daemon.state() == .streaming)
    try daemon.run(for: .seconds(4))
    #expect(daemon.state() == .stale)
    _ = client
  }

  @Test("the file of a disabled sensor goes and comes back")
  func disabled() throws {
    let client = try pair()
    let sensor = try #require(daemon.daemon.sensors.roster.sensors.first)
    client.send(#"{"id":91,"method":"disable","params":{"sensor":"\#(sensor.id)"}}"#)
    try daemon.run(for: .seconds(2))
    #expect(daemon.state() == .disabled)
    try Files.remove(folder.file("turns.sensor"))
    try reload()
    #expect(daemon.state() == .disabled)
    try write(turns())
    try reload()
    #expect(daemon.state() == .disabled)
  }

  @Test("a new file does not change sensors that are paired already")
  func newFile() throws {
    daemon.radio.offers = [.measurement]
    let client = try daemon.pairStrap()
    try write(heartRate("mine"))
    try reload()
    #expect(plugins == ["heart_rate"])
    daemon.radio.link?.lose()
    daemon.radio.advertise()
    try daemon.run(for: .milliseconds(200))
    daemon.radio.link?.notify([0, 70])
    try daemon.run(for: .milliseconds(10))
    #expect(plugins == ["heart_rate"])
    #expect(try client.all("sample").allSatisfy { $0["kind"] != "mine_rate" })
  }

  @Test("a file that replaces a built-in plugin takes over on the open link, and gives it back")
  func replaces() throws {
    daemon.radio.offers = [.measurement]
    let client = try daemon.pairStrap()
    try write(heartRate("mine", replaces: "heart_rate"))
    try reload()
    #expect(plugins == ["mine"])
    daemon.radio.link?.notify([0, 70])
    try daemon.run(for: .milliseconds(10))
    #expect(try client.all("sample").contains { $0["kind"] == "mine_rate" })
    try Files.remove(folder.file("turns.sensor"))
    try reload()
    #expect(plugins == ["heart_rate"])
    #expect(daemon.radio.links.count == 1)
  }

  @Test("a file with problems is logged with its lines, and the others are read")
  func problems() throws {
    try write(turns() + "\nunknown = u9\n", "bad.sensor")
    try write(turns())
    try reload()
    #expect(daemon.logged.lines.contains { $0.contains("\(folder.file("bad.sensor")):") })
    #expect(daemon.daemon.plugins.shelf.registry.plugins.last?.info.id == "turns")
  }

  @Test("at most 8 problems of a file are logged")
  func manyProblems() throws {
    try write(String(repeating: "x\n", count: 100), "bad.sensor")
    try reload()
    let lines = daemon.logged.lines.filter { $0.contains("bad.sensor") }
    #expect(lines.count == 9 && lines.last?.contains("cyclo plugin check") == true)
  }
}

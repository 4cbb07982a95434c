// The writes in [Stop] of a sensor's file, which go out before the daemon disables or forgets the sensor.

import Linux
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct LastWriteTests {
  private let folder: TemporaryFolder
  private let daemon: TestDaemon
  private let client: TestClient
  private static let value = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa001))
  private static let control = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa002))

  init() throws {
    folder = try TemporaryFolder()
    try Files.replace(folder.file("lamp.sensor"), with: Array(Self.text.utf8), mode: 0o644)
    daemon = try TestDaemon(sensors: folder.path)
    daemon.radio.offers = [Self.value, Self.control]
    client = try daemon.pairStrap(measurement: Self.value, first: [5])
    #expect(daemon.state() == .streaming && daemon.radio.written.isEmpty)
  }

  private func ask(_ method: String) throws {
    client.send(#"{"id":3,"method":"\#(method)","params":{"sensor":"polar-h10-0001"}}"#)
    try daemon.run(for: .milliseconds(1))
  }

  @Test(
    "a sensor that is disabled or forgotten gets its last writes, one after the other",
    arguments: ["disable", "forget"])
  func unwanted(method: String) throws {
    let link = try #require(daemon.radio.link)
    try ask(method)
    #expect(daemon.radio.written == [[7]] && !link.isClosed)
    try daemon.run(for: .milliseconds(15))
    #expect(daemon.radio.written == [[7], [8]] && !link.isClosed)
    try daemon.run(for: .milliseconds(15))
    #expect(link.isClosed)
  }

  @Test("a sensor that does not answer its last writes is disconnected after a second")
  func silent() throws {
    daemon.radio.answersWrites = false
    let link = try #require(daemon.radio.link)
    try ask("disable")
    try daemon.run(for: .milliseconds(990))
    #expect(!link.isClosed)
    try daemon.run(for: .milliseconds(20))
    #expect(link.isClosed && daemon.radio.written == [[7]])
  }

  @Test("a sensor that is enabled again at once gets a new link, after the old one was ended")
  func enabledAgain() throws {
    daemon.radio.answersWrites = false
    let link = try #require(daemon.radio.link)
    try ask("disable")
    try ask("enable")
    daemon.radio.advertise()
    try daemon.run(for: .milliseconds(200))
    #expect(link.isClosed && daemon.radio.links.count == 2)
    daemon.radio.link?.notify([6], from: Self.value)
    try daemon.run(for: .milliseconds(10))
    #expect(daemon.state() == .streaming)
  }

  @Test("the daemon writes them before it stops")
  func stop() throws {
    let link = try #require(daemon.radio.link)
    daemon.daemon.stop()
    #expect(link.isClosed && daemon.radio.written == [[7], [8]])
  }

  private static let text = """
    [Sensor]
    Format = 1
    Id = lamp
    Title = Lamp
    Service = a000
    [Packet lamp]
    Notify = a000 a001
    level = u8
    [Sample lamp]
    level = level
    [Fact]
    level = level
    [Stop]
    Write = a000 a002: 07
    Write = a000 a002: 08
    """

  private func reload() throws {
    daemon.daemon.readFiles()
    try daemon.run(for: .milliseconds(50))
  }

  @Test("a file that changes is written off before its new plugin begins, on the same link")
  func changed() throws {
    let text = Self.text.replacing("08", with: "09") + "\n[Start]\nSubscribe = lamp\nWrite = a000 a002: 01\n"
    try Files.replace(folder.file("lamp.sensor"), with: Array(text.utf8), mode: 0o644)
    try reload()
    #expect(daemon.radio.written == [[7], [8], [1]])
    #expect(daemon.radio.links.count == 1 && daemon.state() == .streaming)
  }

  @Test("a file that is removed is written off before the link ends")
  func removed() throws {
    let link = try #require(daemon.radio.link)
    try Files.remove(folder.file("lamp.sensor"))
    try reload()
    #expect(daemon.radio.written == [[7], [8]] && link.isClosed)
    #expect(daemon.state() == .error)
  }

  @Test("the facts of a file that changed or was removed are forgotten")
  func facts() throws {
    func facts() throws -> [String]? {
      let sensor = try #require(daemon.daemon.sensors.roster.sensors.first)
      return daemon.daemon.sensors.record(of: sensor).facts.members?.map(\.name)
    }
    #expect(try facts() == ["level"])
    let text = Self.text.replacing("[Fact]\nlevel", with: "[Fact]\nbrightness")
    try Files.replace(folder.file("lamp.sensor"), with: Array(text.utf8), mode: 0o644)
    try reload()
    #expect(try facts() == [])
    daemon.radio.link?.notify([5], from: Self.value)
    try daemon.run(for: .milliseconds(10))
    #expect(try facts() == ["brightness"])
    try Files.remove(folder.file("lamp.sensor"))
    try reload()
    #expect(try facts() == [])
  }

  @Test("a link that was lost gets no last writes")
  func lost() throws {
    daemon.radio.link?.lose()
    try daemon.run(for: .milliseconds(100))
    #expect(daemon.radio.written.isEmpty)
  }
}

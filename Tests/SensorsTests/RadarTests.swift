// Radars beyond their vectors and captures: requests, silence, and packets that arrive in pieces.

import JSON
import SampleLines
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct RadarTests {
  static let magene = BluetoothUUID(maker: "8ce5cc01-0a4d-11e9-ab14-d663bd873d93")
  static let varia = BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66")

  static func host(_ service: BluetoothUUID) -> PluginHost {
    PluginHost(builtInPlugins.recognize(DeviceDescription(services: [service])), settings: SensorSettings())
  }

  @Test("a Magene radar is told to report, after it is subscribed to")
  func mageneStart() {
    var radar = Self.host(Self.magene)
    var batch = Batch()
    radar.connected(at: MonotonicTime(seconds: 0), into: &batch)
    #expect(batch.actions.map { $0.verb } == [.subscribe, .write])
    #expect(Writes.of(batch) == ["570901"])
  }

  @Test("a Varia radar is only subscribed to")
  func variaStart() {
    var radar = Self.host(Self.varia)
    var batch = Batch()
    radar.connected(at: MonotonicTime(seconds: 0), into: &batch)
    #expect(batch.actions.map { $0.verb } == [.subscribe])
  }

  @Test("a silent radar is stale after 1.5 s and reconnected after 6 s", arguments: [magene, varia])
  func silence(_ service: BluetoothUUID) {
    let silence = Silence(staleAfter: .milliseconds(1500), reconnectAfter: .seconds(6))
    #expect(Self.host(service).silence == silence)
  }

  /// Receives a packet of a Varia radar. Returns the ids of the targets for each sample, and
  /// "clear" for an empty road.
  private static func receive(
    _ bytes: [UInt8], _ radar: inout PluginHost, at seconds: Double
  ) throws -> [String] {
    let targets = BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66")
    let source = PacketSource(.notified(service: varia, characteristic: targets), sender: Sender(address: "", name: ""))
    var batch = Batch()
    try radar.decode(bytes.span, from: source, at: MonotonicTime(seconds: seconds), into: &batch)
    return roads(of: batch)
  }

  private static func tick(_ radar: inout PluginHost, at seconds: Double) -> [String] {
    var batch = Batch()
    radar.tick(at: MonotonicTime(seconds: seconds), into: &batch)
    return roads(of: batch)
  }

  private static func roads(of batch: borrowing Batch) -> [String] {
    var roads: [String] = []
    for entry in batch.entries {
      var writer = JSONWriter()
      writer.beginObject()
      writer.fields(of: entry, in: batch)
      writer.endObject()
      let road = try? JSONValue.parse(writer.bytes)
      let cars = (road?["targets"]?.items ?? []).compactMap { $0["id"]?.integer }
      roads.append(road?["clear"] == true ? "clear" : cars.map(String.init).joined(separator: " "))
    }
    return roads
  }

  private static let firstPiece: [UInt8] = [0x30, 0x81, 0x14, 0x28]

  @Test("a car in a first piece is shown after 250 ms, although the second piece never comes")
  func firstPieceAlone() throws {
    var radar = Self.host(Self.varia)
    #expect(try Self.receive(Self.firstPiece, &radar, at: 1).isEmpty)
    #expect(radar.deadline == MonotonicTime(seconds: 1.25))
    #expect(Self.tick(&radar, at: 1.25) == ["129"])
    #expect(radar.deadline == nil && Self.tick(&radar, at: 2).isEmpty)
  }

  @Test("a first piece is shown when another packet follows it")
  func firstPiece() throws {
    var radar = Self.host(Self.varia)
    _ = try Self.receive(Self.firstPiece, &radar, at: 1)
    #expect(try Self.receive([0x40, 0x82, 0x20, 0x28], &radar, at: 1.1) == ["129"])
    #expect(try Self.receive([0x52, 0x83, 0x30, 0x28], &radar, at: 1.2) == ["130", "131"])
    #expect(radar.deadline == nil)
  }

  @Test("a second piece completes the first within 250 ms, and belongs to another packet later")
  func secondPiece() throws {
    var radar = Self.host(Self.varia)
    let second: [UInt8] = [0x32, 0x82, 0x20, 0x28]
    _ = try Self.receive(Self.firstPiece, &radar, at: 1)
    #expect(try Self.receive(second, &radar, at: 1.25) == ["129 130"])
    #expect(radar.deadline == nil)
    _ = try Self.receive(Self.firstPiece, &radar, at: 2)
    #expect(try Self.receive(second, &radar, at: 2.251) == ["129", "130"])
    _ = try Self.receive(Self.firstPiece, &radar, at: 3)
    #expect(Self.tick(&radar, at: 3.25) == ["129"])
    #expect(try Self.receive(second, &radar, at: 3.3) == ["130"])
  }

  /// Neither silence nor half a packet makes a road clear.
  @Test("a first piece without a car publishes nothing")
  func emptyFirstPiece() throws {
    var radar = Self.host(Self.varia)
    for piece in [[0x30], [0x30, 0, 0, 0], [0x30, 0xff, 0xff, 0]] as [[UInt8]] {
      #expect(try Self.receive(piece, &radar, at: 1).isEmpty)
      #expect(radar.deadline == nil && Self.tick(&radar, at: 2).isEmpty)
    }
    #expect(try Self.receive([0x42], &radar, at: 3) == ["clear"])
  }

  @Test("a lost link drops the first piece")
  func firstPieceAndLostLink() throws {
    var radar = Self.host(Self.varia)
    _ = try Self.receive(Self.firstPiece, &radar, at: 1)
    radar.disconnected()
    #expect(radar.deadline == nil && Self.tick(&radar, at: 2).isEmpty)
  }

  @Test("a silent tire cap is stale after 15 minutes and never reconnected")
  func capSilence() {
    let device = DeviceDescription(name: "TPMS1_0A0B0C", companies: [0x0100])
    let cap = PluginHost(builtInPlugins.recognize(device), settings: SensorSettings())
    #expect(cap.silence == Silence(staleAfter: .seconds(900), reconnectAfter: nil))
  }
}

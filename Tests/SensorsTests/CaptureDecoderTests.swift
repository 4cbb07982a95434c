// Captures apart from the decoding of frames: devices, settings, sequence numbers, time, and the
// messages for invalid lines.

import CaptureDecoding
import CaptureFormat
import JSON
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct CaptureDecoderTests {
  static func decode(
    _ text: String, plugins: PluginRegistry = PluginRegistry(builtInPlugins.plugins), withRide: Bool = false
  ) -> (lines: [String], problems: [String]) {
    var run = CaptureRun(plugins: plugins, withRide: withRide)
    var output: [UInt8] = []
    var problems: [String] = []
    run.feed(Array(text.utf8).span, into: &output) { problems.append($0.description) }
    run.finish(into: &output) { problems.append($0.description) }
    return (String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init), problems)
  }

  @Test("samples are numbered per sensor and kind")
  func sequenceNumbers() throws {
    let (lines, problems) = Self.decode(
      """
      device a
      device b
      0 a notify 2a37 0048
      1 b notify 2a37 0048
      2 a read 2a19 64
      3 a notify 2a37 0048
      """)
    #expect(problems.isEmpty)
    let counts = try lines.map { try JSONValue.parse($0) }.map {
      "\($0["sensor"]?.text ?? "")\($0["seq"]?.integer ?? 0)"
    }
    #expect(counts == ["a1", "b1", "a1", "a2"])
  }

  @Test("invalid lines are reported and skipped")
  func invalidLines() {
    let (lines, problems) = Self.decode(
      """
      device a
      5 b connected
      5 a notify 2a37 0048
      4 a notify 2a37 0048
      set b role=front
      set a circumference_mm=wide
      set a max_heart_rate=185
      6 a notify 2a37 0049
      """)
    #expect(lines.count == 2)
    #expect(
      problems == [
        #"line 2: no device is called "b": a line "device b" is expected before"#,
        "line 4: time goes back: 5.0 or later is expected",
        #"line 5: no device is called "b": a line "device b" is expected before"#,
        #"line 6: circumference_mm is a number above 0, not "wide""#,
      ])
  }

  @Test("a write by the host is not decoded")
  func hostWrites() {
    #expect(Self.decode("device a\n0 a write 2a37 0048\n").lines.isEmpty)
  }

  @Test("a device that is described again keeps its sequence numbers")
  func describedAgain() {
    let (lines, problems) = Self.decode(
      """
      device a name=Else
      0 a advert 0100 2a
      device a name=Cap1
      1 a advert 0100 2a
      device a name=Cap2
      2 a advert 0100 2b
      """, plugins: PluginRegistry([CapPlugin.self]))
    #expect(problems.isEmpty)
    #expect(
      lines == [
        #"{"class":"sample","sensor":"a","kind":"cap","seq":1,"t":1,"age_ms":0,"raw":42}"#,
        #"{"class":"sample","sensor":"a","kind":"cap","seq":2,"t":2,"age_ms":0,"raw":43}"#,
      ])
  }

  /// The balance of Assioma pedals is only valid while there is power.
  @Test("a device that is described again is known by its new name")
  func renamedDevice() throws {
    let (lines, problems) = Self.decode(
      """
      device a name=Pedals
      0 a notify 2a63 0100000064
      device a name=ASSIOMA12345
      1 a notify 2a63 0100000064
      device a name=Pedals
      2 a notify 2a63 0100000064
      """, plugins: builtInPlugins)
    #expect(problems.isEmpty)
    let balances = try lines.map { try JSONValue.parse($0)["pedal_balance_pct"]?.number }
    #expect(balances == [50, nil, 50])
  }

  @Test("adverts reach the plugins that decode them")
  func adverts() {
    let (lines, _) = Self.decode(
      """
      device cap name=Cap1
      device other name=Else
      set cap role=rear
      0 cap advert 0100 2a
      1 other advert 0100 2a
      2 cap advert 00ff 2a
      3 cap service fff0 07
      4 cap advert 0100 00
      8 cap connected
      """, plugins: PluginRegistry([CapPlugin.self]))
    #expect(
      lines == [
        #"{"class":"sample","sensor":"cap","kind":"cap","seq":1,"t":0,"age_ms":0,"raw":42,"role":"rear"}"#,
        #"{"class":"sample","sensor":"cap","kind":"cap","seq":2,"t":3,"age_ms":0,"raw":7,"role":"rear"}"#,
        #"{"class":"refused","sensor":"cap","t":4,"source":"0100","error":"not_this_protocol","offset":0}"#,
        #"{"class":"answer","sensor":"cap","t":8,"result":"timeout"}"#,
      ])
  }
}

/// A sensor that only advertises, with a deadline five seconds after the last packet.
private struct CapPlugin: SensorPlugin {
  static let info = SensorInfo(
    id: "cap", title: "Cap",
    adverts: [
      AdvertPattern(.manufacturer(0x0100), namePrefix: "Cap"), AdvertPattern(.serviceData(BluetoothUUID(0xfff0))),
    ],
    kinds: [SampleKind("cap")], silence: .unlimited)

  private var settings: SensorSettings
  var deadline: MonotonicTime?

  init(settings: SensorSettings) {
    self.settings = settings
  }

  mutating func settingsChanged(_ settings: SensorSettings) {
    self.settings = settings
  }

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard value[0] != 0 else { throw DecodeError(.notThisProtocol, at: 0) }
    deadline = time + .seconds(5)
    batch.sample(SampleKind("cap"))
    batch.set(Field("raw"), value[0])
    if let role = settings.role { batch.set(Field("role"), text: Array(role.rawValue.utf8).span) }
  }

  mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    deadline = nil
    batch.answer()
    batch.set(Field("result"), "timeout")
  }
}

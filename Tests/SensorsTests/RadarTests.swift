// What vectors and captures of radars do not show: what is asked of the link, and how long silence may last.

import SensorKit
import Sensors
import Testing

@Suite struct RadarTests {
  static let magene = BluetoothUUID(maker: "8ce5cc01-0a4d-11e9-ab14-d663bd873d93")
  static let varia = BluetoothUUID(maker: "6a4e3200-667b-11e3-949a-0800200c9a66")

  static func host(_ service: BluetoothUUID) -> PluginHost {
    PluginHost(recognize(DeviceDescription(services: [service]), among: registry), settings: SensorSettings())
  }

  @Test func aMageneRadarIsAskedToReportOnceItIsHeard() {
    var radar = Self.host(Self.magene)
    var batch = Batch()
    radar.connected(at: MonotonicTime(seconds: 0), into: &batch)
    #expect(batch.actions.map { $0.verb } == [.subscribe, .write])
    #expect(Writes.of(batch) == ["570901"])
  }

  @Test func aVariaRadarIsOnlyListenedTo() {
    var radar = Self.host(Self.varia)
    var batch = Batch()
    radar.connected(at: MonotonicTime(seconds: 0), into: &batch)
    #expect(batch.actions.map { $0.verb } == [.subscribe])
  }

  @Test(arguments: [magene, varia])
  func aSilentRadarIsStaleAtOnceAndRebuiltSoon(_ service: BluetoothUUID) {
    let silence = Silence(staleAfter: .milliseconds(1500), reconnectAfter: .seconds(6))
    #expect(Self.host(service).silence == silence)
  }

  /// Silence never makes a road clear: no deadline of the plugin's says anything.
  @Test func aFirstPieceSetsNoDeadline() throws {
    var radar = Self.host(Self.varia)
    var batch = Batch()
    let targets = BluetoothUUID(maker: "6a4e3203-667b-11e3-949a-0800200c9a66")
    let source = Source(
      .notified(service: Self.varia, characteristic: targets), sender: Sender(address: "", name: ""))
    let piece: [UInt8] = [0x30, 0x81, 0x14, 0x28]
    try radar.decode(piece.span, from: source, at: MonotonicTime(seconds: 1), into: &batch)
    #expect(batch.entries.isEmpty && radar.deadline == nil)
  }

  @Test func aCapIsStaleAfterAQuarterOfAnHourAndNeverConnected() {
    let device = DeviceDescription(name: "TPMS1_0A0B0C", companies: [0x0100])
    let cap = PluginHost(recognize(device, among: registry), settings: SensorSettings())
    #expect(cap.silence == Silence(staleAfter: .seconds(900), reconnectAfter: nil))
  }
}

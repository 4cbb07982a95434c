// The host passes packets to the plugins that know them, keeps refused packets out of the batch,
// and publishes one plugin per kind.

import SensorKit
import Testing
import Time
import Vocabulary

@Suite final class PluginHostTests {
  var host = PluginHost(
    [Plugin(FirstPlugin.self), Plugin(SecondPlugin.self), Plugin(ThirdPlugin.self)], settings: SensorSettings())
  var batch = Batch()

  /// Decodes one byte. The result is the error, or whether a sample came and is published.
  func decode(_ byte: UInt8, _ source: PacketSource, at seconds: Double) -> String {
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode([byte].span, from: source, at: MonotonicTime(seconds: seconds), into: &batch)
    } catch {
      return "\(error.reason)"
    }
    guard let entry = batch.entries.first else { return "nothing" }
    return entry.isHidden ? "hidden" : "published"
  }

  @Test("a refused packet leaves nothing in the batch")
  func refusedPacket() {
    #expect(decode(0xff, Fake.notified(Fake.value), at: 0) == "reservedValue")
    #expect(batch.entries.isEmpty)
  }

  @Test("a packet that does not fit is refused as a whole")
  func oversizedPacket() {
    #expect(decode(0xfe, Fake.notified(Fake.value), at: 0) == "outOfRange")
    #expect(batch.entries.isEmpty && !batch.overflowed)
    #expect(decode(1, Fake.notified(Fake.value), at: 1) == "published")
  }

  @Test("a packet without bytes is refused as empty")
  func emptyPacket() {
    let none: [UInt8] = []
    #expect(throws: DecodeError(.empty, at: 0)) {
      try host.decode(none.span, from: Fake.notified(Fake.value), at: MonotonicTime(seconds: 0), into: &batch)
    }
  }

  @Test("a packet from an unknown characteristic is ignored")
  func unknownCharacteristic() {
    #expect(decode(1, Fake.notified(BluetoothUUID(0x2a37)), at: 0) == "nothing")
    #expect(decode(1, Fake.notified(Fake.second, of: Fake.other), at: 0) == "nothing")
  }

  @Test("a plugin stays selected until it is stale")
  func staleSelection() {
    let (first, second) = (Fake.notified(Fake.value), Fake.notified(Fake.second))
    #expect(decode(1, second, at: 0) == "published")
    #expect(decode(1, first, at: 0.5) == "hidden", "the selected plugin stays, though another is listed first")
    #expect(decode(1, second, at: 4) == "published")
    #expect(decode(1, first, at: 8) == "hidden")
    #expect(decode(1, first, at: 9.5) == "published", "the second is stale after 5 s")
    #expect(decode(1, second, at: 10) == "hidden")
    #expect(decode(1, second, at: 12) == "hidden")
  }

  @Test("the first live plugin of the list takes over")
  func takeover() {
    let (first, second) = (Fake.notified(Fake.value), Fake.notified(Fake.second))
    let third = Fake.notified(Fake.value, of: Fake.other)
    #expect(decode(1, third, at: 0) == "published")
    #expect(decode(1, first, at: 2) == "hidden")
    #expect(decode(1, second, at: 4) == "hidden", "the third is stale, and the first is live")
    #expect(decode(1, first, at: 4.5) == "published")
  }

  @Test("after a change of plugins, those that stay publish what they published, and new ones subscribe")
  func change() {
    let (first, second) = (Fake.notified(Fake.value), Fake.notified(Fake.second))
    #expect(decode(1, second, at: 0) == "published")
    batch.removeAll()
    let plugins = [Plugin(FirstPlugin.self), Plugin(SecondPlugin.self)]
    let changed = Plugin(
      SensorInfo(id: "fake_third", title: "T", kinds: [], silence: .unlimited), from: .file(replaces: nil)
    ) {
      SecondPlugin(settings: $0)
    }
    host.change(to: [changed] + plugins, linkedAt: MonotonicTime(seconds: 1), into: &batch)
    #expect(!batch.actions.isEmpty, "the new plugin requests what it needs")
    #expect(decode(1, first, at: 1.5) == "hidden", "the second plugin is still selected")
    #expect(decode(1, second, at: 2) == "published")
    batch.removeAll()
    host.change(to: plugins, linkedAt: nil, into: &batch)
    #expect(batch.actions.isEmpty && host.infos.map(\.id) == plugins.map(\.info.id))
    #expect(decode(1, first, at: 2.5) == "hidden")
  }

  @Test("the shortest silence limits of all plugins apply")
  func silence() {
    #expect(host.silence == Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(9)))
  }

  @Test("a deadline runs once")
  func deadline() {
    #expect(host.deadline == nil)
    _ = decode(0xfd, Fake.notified(Fake.value), at: 2)
    #expect(host.deadline == MonotonicTime(seconds: 3))
    batch.removeAll()
    host.tick(at: MonotonicTime(seconds: 2.9), into: &batch)
    #expect(batch.entries.isEmpty)
    host.tick(at: MonotonicTime(seconds: 3), into: &batch)
    #expect(batch.entries.map(\.kind) == [.answer] && host.deadline == nil)
  }

  @Test("a command goes to the plugin that offers it")
  func commands() throws {
    let now = MonotonicTime(seconds: 0)
    try host.command(Command(name: "zero", value: 1), at: now, into: &batch)
    #expect(batch.actions.count == 1 && Array(batch.value(of: batch.actions[0])) == [0x01])
    batch.removeAll()
    #expect(throws: CommandError.badValue) { try host.command(Command(name: "zero"), at: now, into: &batch) }
    #expect(batch.actions.isEmpty, "a command that failed writes nothing")
    #expect(throws: CommandError.notSupported) { try host.command(Command(name: "sing"), at: now, into: &batch) }
  }

  @Test("a command that does not fit is refused as a whole")
  func oversizedCommand() throws {
    let now = MonotonicTime(seconds: 0)
    let tooMuch = Command(name: "zero", value: 254)
    #expect(throws: CommandError.badValue) { try host.command(tooMuch, at: now, into: &batch) }
    #expect(batch.actions.isEmpty && !batch.overflowed)
    try host.command(Command(name: "zero", value: 1), at: now, into: &batch)
    #expect(batch.actions.count == 1)
  }

  @Test("the default methods of a plugin do nothing")
  func defaultMethods() {
    var plugin = SecondPlugin(settings: SensorSettings())
    plugin.settingsChanged(SensorSettings(circumferenceMM: 2000))
    plugin.disconnected()
    plugin.commandFailed()
    plugin.tick(at: MonotonicTime(seconds: 1), into: &batch)
    #expect(plugin.deadline == nil && plugin.silence == SecondPlugin.info.silence)
    var refusal: CommandError?
    do throws(CommandError) {
      try plugin.command(Command(name: "zero", value: 1), at: MonotonicTime(seconds: 2), into: &batch)
    } catch {
      refusal = error
    }
    #expect(refusal == .notSupported)
    #expect(batch.entries.isEmpty && batch.actions.isEmpty)
  }

  @Test("quirks follow the name of the device")
  func quirks() {
    let quirk = Quirk(
      "Bent pod", [DeviceMark(name: "Bent")], BentPlugin.effect, habit: "it is bent", source: "here", capture: "none")
    host = PluginHost([Plugin(BentPlugin.self)], settings: SensorSettings(), quirks: [quirk])
    #expect(isBent(at: 0) == false)
    host.nameChanged("Bent 12")
    #expect(isBent(at: 1) == true)
    host.settingsChanged(SensorSettings(circumferenceMM: 2000))
    #expect(isBent(at: 2) == true, "settings do not change the device")
    host.nameChanged("Straight 12")
    #expect(isBent(at: 3) == false)
  }

  private func isBent(at seconds: Double) -> Bool? {
    guard decode(1, Fake.notified(Fake.value), at: seconds) == "published" else { return nil }
    guard case .flag(let isBent) = batch.field(0).value else { return nil }
    return isBent
  }

  @Test("connecting subscribes to the characteristics of all plugins")
  func subscribes() {
    host.connected(at: MonotonicTime(seconds: 0), into: &batch)
    #expect(batch.actions.map(\.characteristic) == [Fake.value, Fake.second, Fake.value])
    #expect(batch.actions.map(\.verb) == [.subscribe, .subscribe, .subscribe])
  }

  @Test("a characteristic is looked up in the device's own services")
  func serviceLookup() {
    #expect(host.service(of: Fake.value, among: []) == Fake.service)
    #expect(host.service(of: Fake.value, among: [Fake.other]) == Fake.other)
    #expect(host.service(of: BluetoothUUID(0x2a37), among: [Fake.other]) == nil)
  }
}

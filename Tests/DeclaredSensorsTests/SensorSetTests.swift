// Which files are read, which one wins, and the order of the plugins.

import DeclaredSensors
import SensorKit
import Sensors
import Testing

@Suite struct SensorSetTests {
  private typealias Folder = DeclaredSensorSet.Folder

  private func file(
    _ name: String, _ folder: Folder, id: String, replaces: String? = nil
  ) -> DeclaredSensorSet.File {
    let text = """
      [Sensor]
      Format = 1
      Id = \(id)
      Title = T
      \(replaces.map { "Replaces = \($0)" } ?? "")
      Service = 180d
      [Packet p]
      Notify = 180d 2a37
      a = u8
      """
    return DeclaredSensorSet.File(name, in: folder, Array(text.utf8))
  }

  private func read(_ files: [DeclaredSensorSet.File]) -> DeclaredSensorSet {
    DeclaredSensorSet(files, builtIn: builtInPlugins, words: SensorWords())
  }

  @Test("files come after the built-in plugins, in the order of their names")
  func order() {
    let set = read([file("b.sensor", .packages, id: "b"), file("a.sensor", .owner, id: "a")])
    #expect(set.loaded.map(\.program.info.id) == ["a", "b"])
    #expect(set.plugins(with: builtInPlugins).plugins.map(\.info.id).suffix(3) == ["device_information", "a", "b"])
  }

  @Test("a file of the owner replaces one of the same name, and an empty one switches it off")
  func owner() {
    let set = read([
      file("a.sensor", .packages, id: "one"), file("a.sensor", .owner, id: "two"),
      file("b.sensor", .packages, id: "three"), DeclaredSensorSet.File("b.sensor", in: .owner, []),
      file("notes.txt", .owner, id: "four"),
    ])
    #expect(set.loaded.map(\.program.info.id) == ["two"])
    #expect(set.omitted.map(\.file.name) == ["b.sensor"])
    #expect(set.omitted.first?.problems.isEmpty == true)
  }

  @Test("a file with a problem is left out, and the others stay")
  func problem() {
    let set = read([DeclaredSensorSet.File("a.sensor", in: .owner, [0x78]), file("b.sensor", .owner, id: "b")])
    #expect(set.loaded.map(\.program.info.id) == ["b"])
    #expect(set.omitted.first?.problems.first?.line == 1)
  }

  @Test("the packets of a file with a process are handed over")
  func process() throws {
    let text = """
      [Sensor]
      Format = 1
      Id = a
      Title = A
      Service = 180d
      [Process]
      User = cyclometer-a
      [Packet first]
      Notify = 180d 2a37
      Match = byte(0) == 1
      [Packet second]
      Notify = 180d 2a37
      [Sample heart_rate]
      bpm = number
      """
    let set = read([DeclaredSensorSet.File("a.sensor", in: .owner, Array(text.utf8))])
    let plugin = try #require(set.loaded.first?.plugin)
    #expect(plugin.info.isOfProcess)
    #expect(plugin.info.kinds == [.heartRate])
    var host = PluginHost([plugin], settings: SensorSettings())
    var batch = Batch()
    let uuid = BluetoothUUID(0x2a37)
    let source = PacketSource(
      .notified(service: BluetoothUUID(0x180d), characteristic: uuid), sender: Sender(address: "", name: ""))
    for (bytes, number) in [([1, 2], 0), ([3], 1)] as [([UInt8], Int)] {
      batch.removeAll()
      // What a program decodes shows later that the sensor works.
      #expect(try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 1), into: &batch) == false)
      #expect(batch.actions.map(\.verb) == [.handOver(.packet(number, of: ObjectIdentifier(plugin.info)))])
      #expect(Array(batch.value(of: batch.actions[0])) == bytes)
      #expect(batch.entryIndices.isEmpty)
    }
  }

  @Test("a file of the owner takes the place of a built-in plugin")
  func replaces() {
    let set = read([file("a.sensor", .owner, id: "mine", replaces: "heart_rate")])
    let ids = set.plugins(with: builtInPlugins).plugins.map(\.info.id)
    #expect(ids.first == "mine")
    #expect(!ids.contains("heart_rate") && ids.count == builtInPlugins.plugins.count)
  }

  @Test("a file in the place of a companion is a companion too")
  func replacesCompanion() {
    let set = read([file("a.sensor", .owner, id: "mine", replaces: "battery"), file("b.sensor", .owner, id: "b")])
    let plugins = set.plugins(with: builtInPlugins).plugins
    #expect(plugins.first { $0.info.id == "mine" }?.info.isCompanion == true)
    #expect(plugins.first { $0.info.id == "b" }?.info.isCompanion == false)
  }

  @Test("an empty file of a package is a problem")
  func emptyPackageFile() {
    let set = read([DeclaredSensorSet.File("b.sensor", in: .packages, [])])
    #expect(set.omitted.first?.problems.map(\.line) == [1])
  }

  @Test("a file that cannot be loaded beside the others has a problem with its line")
  func conflicts() {
    let set = read([
      file("a.sensor", .owner, id: "a", replaces: "moxy"), file("b.sensor", .owner, id: "b", replaces: "moxy"),
      file("c.sensor", .packages, id: "c", replaces: "moxy"), file("d.sensor", .owner, id: "a"),
      file("e.sensor", .owner, id: "heart_rate"), file("f.sensor", .owner, id: "f", replaces: "nothing"),
    ])
    #expect(set.loaded.map(\.file.name) == ["a.sensor"])
    #expect(set.omitted.flatMap(\.problems).map(\.line) == [5, 5, 5, 3, 3, 5])
    #expect(set.omitted[0].problems[0].text == "Replaces: a.sensor replaces moxy already")
    #expect(set.omitted[1].problems[0].text == "Replaces: only a file in /etc replaces a built-in plugin")
    #expect(set.omitted[2].problems[0].text == "Id = a: a.sensor has this id")
    #expect(set.omitted[3].problems[0].text == "Id = heart_rate: a built-in plugin has this id")
  }

  @Test("at most 64 files are read")
  func limit() {
    let set = read((100..<165).map { file("\($0).sensor", .owner, id: "s\($0)") })
    #expect(set.loaded.count == 64)
    #expect(set.omitted.map(\.file.name) == ["164.sensor"])
  }

  @Test("a file that did not change keeps its program")
  func unchanged() {
    let words = SensorWords()
    let files = [file("a.sensor", .owner, id: "a"), file("b.sensor", .owner, id: "b")]
    let first = DeclaredSensorSet(files, builtIn: builtInPlugins, words: words)
    let changed = [files[0], file("b.sensor", .owner, id: "c")]
    let second = DeclaredSensorSet(changed, builtIn: builtInPlugins, words: words, earlier: first)
    #expect(second.loaded[0].program === first.loaded[0].program)
    #expect(second.loaded[1].program !== first.loaded[1].program)
  }
}

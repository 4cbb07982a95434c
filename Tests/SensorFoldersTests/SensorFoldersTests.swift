// Files in folders: which are read, and what is reported about the others.

import DeclaredSensors
import Linux
import SensorFolders
import SensorKit
import Sensors
import TestSupport
import Testing

@Suite struct SensorFoldersTests {
  private let folder: TemporaryFolder
  private let folders: SensorFileFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = SensorFileFolders(packages: folder.file("packages"), owner: folder.file("owner"))
    try Files.createDirectory(folder.file("packages"), mode: 0o755)
    try Files.createDirectory(folder.file("owner"), mode: 0o755)
  }

  private func write(_ path: String, _ text: String) throws {
    try Files.replace(folder.file(path), with: Array(text.utf8), mode: 0o644)
  }

  private func sensor(_ id: String, more: String = "") -> String {
    """
    [Sensor]
    Format = 1
    Id = \(id)
    Title = T
    Service = 180d
    \(more)
    [Packet p]
    Notify = 180d 2a37
    a = u8
    """
  }

  private func read(earlier: InstalledSensors? = nil, words: SensorWords = SensorWords()) -> InstalledSensors {
    InstalledSensors(in: folders, builtIn: builtInPlugins, words: words, earlier: earlier)
  }

  @Test("missing folders have no sensors, and are not a problem")
  func missing() {
    let none = SensorFileFolders(packages: folder.file("a"), owner: folder.file("b"))
    let installed = InstalledSensors(in: none, builtIn: builtInPlugins, words: SensorWords())
    #expect(installed.problems.isEmpty)
    #expect(installed.registry.plugins.map(\.info.id) == builtInPlugins.plugins.map(\.info.id))
  }

  @Test("the owner's file wins over the one of a package, and an empty one switches it off")
  func owner() throws {
    try write("packages/a.sensor", sensor("one"))
    try write("owner/a.sensor", sensor("two"))
    try write("packages/b.sensor", sensor("three"))
    try write("owner/b.sensor", "")
    try write("owner/notes.txt", "x")
    let installed = read()
    #expect(installed.registry.plugins.last?.info.id == "two")
    #expect(installed.path(of: "two") == folder.file("owner/a.sensor"))
    #expect(installed.path(of: "heart_rate") == nil)
    #expect(installed.declared.omitted.map(\.file.name) == ["b.sensor"])
    #expect(installed.problems.isEmpty)
  }

  @Test("files of packages are optional")
  func noPackages() throws {
    try write("packages/a.sensor", sensor("one"))
    let own = SensorFileFolders(packages: nil, owner: folder.file("owner"))
    #expect(InstalledSensors(in: own, builtIn: builtInPlugins, words: SensorWords()).declared.loaded.isEmpty)
  }

  @Test("a problem names its file and line, and the other files are read")
  func problem() throws {
    try write("owner/bad.sensor", sensor("Bad"))
    try write("owner/good.sensor", sensor("good"))
    let installed = read()
    #expect(installed.declared.loaded.map(\.program.info.id) == ["good"])
    #expect(
      installed.problems
        == [
          "\(folder.file("owner/bad.sensor")):3: Id = Bad: use small letters, digits and _, a letter first, at most 40"
        ])
  }

  @Test("a file that is too long or cannot be read is a problem")
  func unreadable() throws {
    try write("owner/a.sensor", String(repeating: "; comment\n", count: 7000))
    try Files.createDirectory(folder.file("owner/b.sensor"), mode: 0o755)
    try write("owner/c.sensor", sensor("c"))
    let installed = read()
    #expect(installed.declared.loaded.map(\.program.info.id) == ["c"])
    #expect(
      installed.problems == [
        "\(folder.file("owner/a.sensor")):1: a file has at most 65536 bytes",
        "\(folder.file("owner/b.sensor")):1: cannot read it: Is a directory",
      ])
  }

  @Test("a path that is not a folder is a problem")
  func notAFolder() throws {
    try write("file", "")
    let folders = SensorFileFolders(packages: nil, owner: folder.file("file"))
    let installed = InstalledSensors(in: folders, builtIn: builtInPlugins, words: SensorWords())
    #expect(installed.problems == ["\(folder.file("file")):1: cannot read it: Not a directory"])
  }

  @Test("the 65th file is not read")
  func tooMany() throws {
    for number in 100..<165 { try write("owner/s\(number).sensor", sensor("s\(number)")) }
    let installed = read()
    #expect(installed.declared.loaded.count == 64)
    #expect(installed.problems == ["\(folder.file("owner/s164.sensor")):1: at most 64 files are read"])
  }

  @Test("a file that did not change keeps its plugin, also in the place of a built-in one")
  func unchanged() throws {
    let words = SensorWords()
    try write("owner/a.sensor", sensor("a"))
    try write("owner/b.sensor", sensor("b"))
    try write("owner/c.sensor", sensor("c", more: "Replaces = moxy"))
    let first = read(words: words)
    try write("owner/b.sensor", sensor("b", more: "Version = 2"))
    let second = read(earlier: first, words: words)
    func isSame(_ id: String) -> Bool {
      first.registry.plugins(called: [id]).first?.info === second.registry.plugins(called: [id]).first?.info
    }
    #expect(isSame("a") && !isSame("b") && isSame("c"))
  }
}

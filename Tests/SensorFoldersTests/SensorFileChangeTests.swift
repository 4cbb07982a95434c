// Installing and removing files in the owner's folder.

import DeclaredSensors
import Linux
import SensorFolders
import Sensors
import TestSupport
import Testing

@Suite struct SensorFileChangeTests {
  private let folder: TemporaryFolder
  private let folders: SensorFileFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = SensorFileFolders(packages: folder.file("packages"), owner: folder.file("owner"))
    try Files.createDirectory(folder.file("packages"), mode: 0o755)
    try Files.createDirectory(folder.file("owner"), mode: 0o755)
  }

  private func sensor(_ id: String) -> [UInt8] {
    Array(
      "[Sensor]\nFormat = 1\nId = \(id)\nTitle = T\nService = 180d\n[Packet p]\nNotify = 180d 2a37\na = u8\n".utf8)
  }

  private func replacement(_ id: String) -> [UInt8] {
    Array(String(decoding: sensor(id), as: UTF8.self).replacing("[Packet", with: "Replaces = moxy\n[Packet").utf8)
  }

  private func write(_ path: String, _ content: [UInt8]) throws {
    try Files.replace(folder.file(path), with: content, mode: 0o644)
  }

  private var installed: InstalledSensors {
    InstalledSensors(in: folders, builtIn: builtInPlugins, words: SensorWords())
  }

  private func problems(_ name: String, _ content: [UInt8]) -> [String] {
    installed.problems(ofNew: name, content, builtIn: builtInPlugins, words: SensorWords()).map(\.description)
  }

  @Test("a new file must have an id that no other file has, but may replace the file of its name")
  func newFiles() throws {
    try write("owner/a.sensor", sensor("one"))
    #expect(problems("b.sensor", sensor("two")).isEmpty)
    #expect(problems("a.sensor", sensor("one")).isEmpty)
    #expect(problems("b.sensor", sensor("one")) == ["3: Id = one: a.sensor has this id"])
    #expect(problems("0.sensor", sensor("one")) == ["3: Id = one: a.sensor has this id"])
  }

  @Test("a new file takes neither the place of a built-in plugin nor that of a file from another one")
  func takenPlaces() throws {
    try write("owner/b.sensor", replacement("one"))
    let taken = "6: Replaces: b.sensor replaces moxy already"
    #expect(problems("a.sensor", replacement("two")) == [taken])
    #expect(problems("c.sensor", replacement("two")) == [taken])
    #expect(problems("b.sensor", replacement("two")).isEmpty)
    for number in 0..<63 { try write("owner/c\(number).sensor", sensor("c\(number)")) }
    #expect(problems("a.sensor", sensor("two")) == ["1: at most 64 files are read"])
    #expect(problems("b.sensor", sensor("two")).isEmpty)
  }

  @Test("a file of the owner is deleted, by its name, its name without ending, or its id")
  func deletion() throws {
    try write("owner/a.sensor", sensor("one"))
    for name in ["a.sensor", "a", "one"] {
      #expect(installed.removal(of: name) == .delete(path: folder.file("owner/a.sensor"), uncovered: nil))
    }
    #expect(installed.removal(of: "b") == nil)
  }

  @Test("a packaged file is switched off, once")
  func switchOff() throws {
    try write("packages/a.sensor", sensor("one"))
    let (own, packaged) = (folder.file("owner/a.sensor"), folder.file("packages/a.sensor"))
    #expect(installed.removal(of: "one") == .switchOff(path: own, packaged: packaged))
    try write("owner/a.sensor", [])
    #expect(installed.removal(of: "a") == .none(path: own, packaged: packaged))
  }

  @Test("without the file of the owner, the packaged one of its name is used again")
  func uncovering() throws {
    try write("packages/a.sensor", sensor("one"))
    try write("owner/a.sensor", sensor("two"))
    let (own, packaged) = (folder.file("owner/a.sensor"), folder.file("packages/a.sensor"))
    #expect(installed.removal(of: "two") == .delete(path: own, uncovered: packaged))
  }

  @Test("a file with problems and an empty file without a packaged one can be deleted")
  func brokenFiles() throws {
    try write("owner/a.sensor", Array("nothing".utf8))
    try write("owner/b.sensor", [])
    #expect(installed.removal(of: "a") == .delete(path: folder.file("owner/a.sensor"), uncovered: nil))
    #expect(installed.removal(of: "b") == .delete(path: folder.file("owner/b.sensor"), uncovered: nil))
  }
}

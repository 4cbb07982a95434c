// What a file may state, and probably does not mean.

import DeclaredSensors
import SensorKit
import Testing

@Suite struct WarningTests {
  private static func program(_ rows: String) throws -> SensorProgram {
    let text =
      leastHead + """
        [Packet one]
        Notify = 180d 2a37
        number = u8
        [Packet two]
        Read = 180d 2a38
        level = u8
        \(rows)
        """
    return try SensorFile(Array(text.utf8), words: SensorWords()).program
  }

  private static func sources(_ program: SensorProgram) -> [String] {
    program.sources.map { source in
      let verbs = [(source.isRead, "read"), (source.isNotified, "notify"), (source.isIndicated, "indicate")]
      return "\(source.characteristic) \(verbs.filter(\.0).map(\.1).joined(separator: " "))"
    }
  }

  @Test("without [Start], all packets arrive")
  func allArrive() throws {
    let program = try Self.program("")
    #expect(program.warnings.isEmpty)
    #expect(Self.sources(program) == ["2a37 notify", "2a38 read"])
  }

  @Test("with [Start], a packet that it does not name never arrives")
  func neverArrives() throws {
    let program = try Self.program("[Start]\nWrite = 180d 2a39: 01")
    let why = "never arrives, because [Start] names all that is subscribed to and read; add"
    #expect(
      program.warnings.map(\.description) == [
        "12: [Packet one] \(why) Subscribe = one", "12: [Packet two] \(why) Read = two",
      ])
    #expect(Self.sources(program).isEmpty)
    let half = try Self.program("[Start]\nSubscribe = one")
    #expect(half.warnings.map(\.description) == ["12: [Packet two] \(why) Read = two"])
    #expect(Self.sources(half) == ["2a37 notify"])
  }

  @Test("a packet arrives if another one of its characteristic is named")
  func sameCharacteristic() throws {
    let program = try Self.program(
      "[Packet three]\nNotify = 180d 2a37\nnumber = u8\n[Start]\nSubscribe = one\nRead = two")
    #expect(program.warnings.isEmpty)
  }

  @Test(
    "a misspelled field or kind of the catalogue is reported with the right one",
    arguments: [
      ("[Sample heart_rate]\nbmp = level", ["13: bmp: heart_rate has no field of this name; the most similar is bpm"]),
      (
        "[Sample environment]\ntemprature_c = level",
        ["13: temprature_c: environment has no field of this name; the most similar is temperature_c"]
      ),
      (
        "[Sample environment]\npressure = level",
        ["13: pressure: environment has no field of this name; the most similar is pressure_pa"]
      ),
      (
        "[Sample enviroment]\ntemperature_c = level",
        ["12: [Sample enviroment]: no shared kind has this name; the most similar is environment"]
      ),
      ("[Sample environment]\ntemperature_c = level\ntemperature_d = level", []),
      ("[Sample trainer]\nstroke_count = level", []),
      ("[Sample environment]\nco2_ppm = level", []), ("[Sample soil]\nbmp = level", []),
    ])
  func misspelled(_ rows: String, _ warnings: [String]) throws {
    #expect(try Self.program(rows).warnings.map(\.description) == warnings)
  }

  @Test("no file of the project has a warning")
  func ownFiles() throws {
    for file in DeclaredFile.all {
      #expect(try file.program().warnings.map(\.description) == [], "\(file.name)")
    }
  }
}

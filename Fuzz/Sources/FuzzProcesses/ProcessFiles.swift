// The files of the programs, and what they allow, stated a second time: as types of JSON values.

import DeclaredSensors
import Fuzzing
import JSON
import SensorKit

struct ProcessFile: Sendable {
  indirect enum FieldType: Sendable {
    case number, flag, text, numbers
    case word([String])
    case words([String])
    case objects([String: FieldType])
  }

  let program: SensorProgram
  /// By the class of the line and, for samples and events, their name.
  let records: [String: [String: FieldType]]
  /// The services that its program may write to.
  let services: [BluetoothUUID]

  private init(_ text: String, records: [String: [String: FieldType]], services: [UInt32]) {
    do throws(SensorFile.Problems) {
      program = try SensorFile(Array(text.utf8), words: SensorWords()).program
    } catch {
      fatalError("\(error.list)")
    }
    self.records = records
    self.services = services.map { BluetoothUUID($0) }
  }

  static let all = [everything, radar]

  private static let everything = ProcessFile(
    """
    [Sensor]
    Format = 1
    Id = all_types
    Title = Everything
    Service = 180d
    [Process]
    User = somebody
    Unanswered = 4
    Within = 100
    [Packet page]
    Notify = 180d 2a37
    [Packet battery]
    Read = 180f 2a19
    [Sample everything]
    number = number
    flag = flag
    text = text
    numbers = numbers
    word = words low, high
    list = list words low, high
    objects = objects item
    event = text
    [Object item]
    number = number
    texts = text
    list = list words a, b
    curve = numbers
    [Event tap]
    count = number
    fact = text
    [Fact]
    model = text
    modes = list words a, b
    [Answer]
    result = words ok, failed
    value = number
    [Command light]
    Summary = Switch the light
    Value = mode, 0 to 3
    Write = process
    """,
    records: [
      "sample everything": [
        "number": .number, "flag": .flag, "text": .text, "numbers": .numbers, "word": .word(["low", "high"]),
        "list": .words(["low", "high"]), "event": .text,
        "objects": .objects(["number": .number, "texts": .text, "list": .words(["a", "b"]), "curve": .numbers]),
      ],
      "event tap": ["count": .number, "fact": .text], "fact model": ["value": .text],
      "fact modes": ["value": .words(["a", "b"])], "answer": ["result": .word(["ok", "failed"]), "value": .number],
    ],
    services: [0x180d, 0x180f])

  private static let radar = ProcessFile(
    """
    [Sensor]
    Format = 1
    Id = magene_process
    Title = Magene radar
    Service = 8ce5
    [Process]
    User = somebody
    [Packet page]
    Notify = 8ce5 8ce6
    [Sample radar]
    clear = flag
    targets = objects target
    [Object target]
    id = number
    distance_m = number
    level = number
    side = words none, right, left
    [Command light]
    Summary = Switch the light
    Value = mode, 0 to 3
    Write = process
    """,
    records: [
      "sample radar": [
        "clear": .flag,
        "targets": .objects([
          "id": .number, "distance_m": .number, "level": .number, "side": .word(["none", "right", "left"]),
        ]),
      ]
    ],
    services: [0x8ce5])
}

extension ProcessFile {
  private static let header = ["class", "sensor", "kind", "seq", "t", "time", "age_ms", "name"]

  /// Checks that a line has only what the file has.
  func require(_ line: JSONValue) {
    let className = line["class"]?.text ?? ""
    let name = line[["sample": "kind", "event": "event", "fact": "name"][className] ?? ""]?.text
    let key = [className, name].compactMap(\.self).joined(separator: " ")
    guard let fields = records[key] else { return Fuzzing.require(false, "\(key) is not of the file") }
    for member in line.members ?? [] where !Self.header.contains(member.name) {
      if className == "event", member.name == "event" { continue }
      guard let type = fields[member.name] else {
        return Fuzzing.require(false, "\(key) has \(member.name)")
      }
      Fuzzing.require(type.has(member.value), "\(member.name) of \(key) is \(member.value.encoded)")
    }
  }
}

extension ProcessFile.FieldType {
  func has(_ value: JSONValue) -> Bool {
    switch self {
    case .number: value.number.map(\.isFinite) ?? false
    case .flag: value.bool != nil
    case .text: value.text != nil
    case .numbers: value.items?.allSatisfy { $0.number?.isFinite == true } ?? false
    case .word(let words): value.text.map(words.contains) ?? false
    case .words(let words): value.items?.allSatisfy { $0.text.map(words.contains) ?? false } ?? false
    case .objects(let fields):
      value.items?.allSatisfy { item in
        item.members?.allSatisfy { fields[$0.name]?.has($0.value) ?? false } ?? false
      } ?? false
    }
  }
}

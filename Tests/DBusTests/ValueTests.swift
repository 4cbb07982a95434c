// Values that are written and read back, content of the wrong type, and values that must never
// reach libdbus.

import DBus
import Linux
import TestSupport
import Testing

struct ValueTests {
  static let values: [Value] = [
    .string("Grüße"), .string(""), .objectPath("/org/bluez/hci0"), .signature("a{sv}"), .bool(true), .byte(255),
    .int16(-32768), .uint16(65535), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5),
    .bytes([]), .bytes([0, 255]), .strings([]), .strings(["a", "b"]), .objectPaths(["/"]),
    .array([.array([.int32(1)], of: "i"), .array([], of: "i")], of: "ai"),
    .dictionary([Value.Entry(.uint16(89), .variant(.bytes([1, 2])))], keys: "q", values: "v"),
    .dictionary([], keys: "o", values: "a{sa{sv}}"),
    .structure([.string("a"), .structure([.byte(1), .variant(.variant(.bool(false)))])]),
    .properties(["RSSI": .int16(-60), "UUIDs": .strings(["x"]), "Nested": .properties(["a": .byte(1)])]),
  ]

  /// Written and read in this process. A message has a body before it is sent.
  private func echo(_ value: Value, sourceLocation: SourceLocation = #_sourceLocation) -> Value? {
    let message = BusMessage.signal(path: "/", interface: "test.One", member: "Now").append(value)
    #expect(message.defect == nil, sourceLocation: sourceLocation)
    #expect(message.signature == value.signature, sourceLocation: sourceLocation)
    var reader = message.reader
    let read = reader.value()
    #expect(reader.isAtEnd, sourceLocation: sourceLocation)
    return read
  }

  @Test("a value survives a round trip", arguments: values) func valueSurvivesRoundTrip(_ value: Value) {
    #expect(echo(value) == value)
  }

  @Test("random values survive a round trip")
  func randomValuesSurviveRoundTrip() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    for _ in 0..<500 {
      let value = randomValue(4, &random)
      #expect(echo(value) == value, "seed \(seed)")
    }
  }

  private func randomValue(_ depth: Int, _ random: inout SeededRandom) -> Value {
    let basic = Self.values.prefix(13)
    guard depth > 0, let leaf = basic.randomElement(using: &random) else { return .byte(0) }
    switch random.next() % 6 {
    case 0: return .variant(randomValue(depth - 1, &random))
    case 1: return .structure([randomValue(depth - 1, &random), randomValue(depth - 1, &random)])
    case 2:
      let element = randomValue(depth - 1, &random)
      guard element.signature != "y" else { return .bytes([1, 2, 3]) }
      return .array([element, element], of: element.signature)
    case 3:
      let value = randomValue(depth - 1, &random)
      return .dictionary([Value.Entry(leaf, value)], keys: leaf.signature, values: value.signature)
    default: return leaf
    }
  }

  @Test("reading another type gives nil and does not advance")
  func readingAnotherTypeGivesNil() {
    let message = BusMessage.signal(path: "/", interface: "test.One", member: "Now").append(.int32(7), .bytes([1]))
    var reader = message.reader
    #expect(isNilForEverythingBut("i", &reader))
    let number = reader.int32()
    #expect(number == 7)
    #expect(isNilForEverythingBut("ay", &reader))
    let bytes = reader.bytes()
    #expect(bytes == [1])
    #expect(reader.isAtEnd)
    #expect(isNilForEverythingBut("", &reader))
    reader.skip()
    #expect(reader.value() == nil)
  }

  private func isNilForEverythingBut(_ type: String, _ reader: inout MessageReader) -> Bool {
    var answers: [String: Bool] = [:]
    answers["s"] = reader.string() == nil && reader.objectPath() == nil && reader.signature() == nil
    answers["b"] = reader.bool() == nil && reader.byte() == nil && reader.double() == nil
    answers["n"] = reader.int16() == nil && reader.uint16() == nil && reader.uint32() == nil
    answers["x"] = reader.int64() == nil && reader.uint64() == nil && reader.fileDescriptor() == nil
    answers["as"] = reader.strings() == nil && reader.properties() == nil && reader.objects() == nil
    answers["a{}"] = !reader.dictionary { _ in } && reader.interfaces() == nil
    if type != "i" { answers["i"] = reader.int32() == nil }
    if type != "ay" { answers["ay"] = reader.bytes() == nil && !reader.array { _ in } }
    return answers.values.allSatisfy { $0 }
  }

  @Test("an element that is not read is skipped")
  func elementThatNotReadSkipped() {
    let message = BusMessage.signal(path: "/", interface: "test.One", member: "Now").append(
      .strings(["a", "b", "c"]), .byte(9))
    var reader = message.reader
    var count = 0
    reader.array { _ in count += 1 }
    #expect(count == 3)
    let last = reader.byte()
    #expect(last == 9)
  }

  @Test("a tree of objects is read")
  func treeOfObjectsRead() {
    let properties = Value.properties(["Address": .string("C0"), "RSSI": .int16(-1)])
    let interfaces = Value.dictionary(
      [Value.Entry(.string("org.bluez.Device1"), properties)], keys: "s", values: "a{sv}")
    let tree = Value.dictionary([Value.Entry(.objectPath("/a"), interfaces)], keys: "o", values: "a{sa{sv}}")
    var reader = BusMessage.signal(path: "/", interface: "test.One", member: "Now").append(tree).reader
    let objects = reader.objects()
    #expect(objects == ["/a": ["org.bluez.Device1": ["Address": .string("C0"), "RSSI": .int16(-1)]]])
  }

  @Test("a property that holds a descriptor is nil")
  func propertyThatHoldsDescriptorNil() throws {
    let pair = try PacketPair()
    var reader = BusMessage.signal(path: "/", interface: "test.One", member: "Now").append(pair.far).append(.byte(1))
      .reader
    #expect(reader.value() == nil)
    let next = reader.byte()
    #expect(next == 1)
  }

  static let deep = (0..<40).reduce(Value.byte(1)) { value, _ in .variant(value) }

  static let bad: [(name: String, message: @Sendable () -> BusMessage)] = [
    ("path", { .signal(path: "no path", interface: "test.One", member: "Now") }),
    ("empty path", { .signal(path: "", interface: "test.One", member: "Now") }),
    ("zero in a path", { .signal(path: "/a\0b", interface: "test.One", member: "Now") }),
    ("interface", { .signal(path: "/", interface: "one", member: "Now") }),
    ("member", { .signal(path: "/", interface: "test.One", member: "No.w") }),
    ("destination", { .call(to: "", path: "/", interface: "test.One", member: "Now") }),
    ("zero in a string", { good().append(.string("a\0b")) }),
    ("object path", { good().append(.objectPath("a")) }),
    ("signature", { good().append(.signature("a{vs}")) }),
    ("mixed array", { good().append(.array([.byte(1), .string("a")], of: "i")) }),
    ("unknown element", { good().append(.array([], of: "")) }),
    ("key that is a container", { good().append(.dictionary([], keys: "v", values: "s")) }),
    ("empty structure", { good().append(.structure([])) }),
    ("too deep", { good().append(deep) }),
    ("too many bytes", { good().append(.bytes([UInt8](repeating: 0, count: 17 << 20))) }),
    ("too many arguments", { good().append([Value](repeating: .byte(1), count: 256)) }),
    ("answer to nothing", { .reply(to: good()) }),
    ("error without a name", { .error(BusError("nameless"), to: good()) }),
  ]

  static func good() -> BusMessage { .signal(path: "/", interface: "test.One", member: "Now") }

  @Test("values that D-Bus forbids are an error, not a crash", arguments: bad.indices)
  func valuesThatDBusForbidsError(_ index: Int) throws {
    let world = try TestWorld()
    let bus = world.makeBus()
    #expect(try world.run { bus.isConnected })
    let message = Self.bad[index].message()
    #expect(message.defect?.name == .invalidArguments, "\(Self.bad[index].name)")
    #expect(bus.send(message) == message.defect)
    var failure: BusError?
    bus.call(message) { if case .failure(let error) = $0 { failure = error } }
    try world.settle()
    #expect(failure == message.defect)
    #expect(bus.isConnected)
  }

  @Test("a message is sent once and cannot be changed afterwards")
  func messageSentOnceAndCannot() throws {
    let world = try TestWorld()
    let bus = world.makeBus()
    #expect(try world.run { bus.isConnected })
    let message = Self.good()
    #expect(bus.send(message) == nil)
    #expect(bus.send(message)?.name == .invalidArguments)
    message.append(.byte(1))
    #expect(message.signature == "")
    #expect(message.defect != nil)
  }
}

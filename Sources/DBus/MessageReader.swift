// Reads the arguments of a message one by one. Reading a type that is not next returns nil and does
// not advance, so unexpected content is safe. libdbus has already checked the message against its
// signature.

internal import CDBus
public import Linux

@safe public struct MessageReader {
  /// The iterator points into the message.
  private let message: BusMessage
  private var iterator: DBusMessageIter
  private var next: UInt8
  private var position = 0

  init(_ message: BusMessage) {
    self.message = message
    unsafe iterator = unsafe DBusMessageIter()
    // Zero for a message without arguments; the iterator is then at its end.
    unsafe dbus_message_iter_init(message.raw, &iterator)
    next = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&iterator))
  }

  /// Enters the next container. It must exist, because libdbus aborts otherwise.
  private init(into outer: inout MessageReader) {
    message = outer.message
    unsafe iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&outer.iterator, &iterator)
    next = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&iterator))
  }

  public var isAtEnd: Bool { next == 0 }

  public mutating func skip() {
    guard !isAtEnd else { return }
    unsafe dbus_message_iter_next(&iterator)
    next = UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&iterator))
    position += 1
  }
}

// MARK: Basic types

extension MessageReader {
  public mutating func string() -> String? { text("s") }
  public mutating func objectPath() -> String? { text("o") }
  public mutating func signature() -> String? { text("g") }
  public mutating func bool() -> Bool? { number("b", dbus_bool_t(0)).map { $0 != 0 } }
  public mutating func byte() -> UInt8? { number("y", 0) }
  public mutating func int16() -> Int16? { number("n", 0) }
  public mutating func uint16() -> UInt16? { number("q", 0) }
  public mutating func int32() -> Int32? { number("i", 0) }
  public mutating func uint32() -> UInt32? { number("u", 0) }
  public mutating func int64() -> Int64? { number("x", 0) }
  public mutating func uint64() -> UInt64? { number("t", 0) }
  public mutating func double() -> Double? { number("d", 0) }

  /// The caller owns the descriptor. Unread descriptors are closed with the message.
  public mutating func fileDescriptor() -> FileDescriptor? {
    // libdbus returns a duplicate, or -1 if the process has no descriptors left.
    guard let number: Int32 = number("h", -1), number >= 0 else { return nil }
    return FileDescriptor(owning: number)
  }

  private mutating func text(_ code: Unicode.Scalar) -> String? {
    guard next == code.value else { return nil }
    var start: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &start)
    guard let found = unsafe start else { return nil }
    // The text belongs to the message, so it is copied.
    let text = unsafe String(cString: found)
    skip()
    return text
  }

  /// libdbus writes as many bytes as the type code has, which is the size of `Number`.
  private mutating func number<Number: BitwiseCopyable>(_ code: Unicode.Scalar, _ initial: Number) -> Number? {
    guard next == code.value else { return nil }
    var number = initial
    unsafe withUnsafeMutableBytes(of: &number) { bytes in
      unsafe dbus_message_iter_get_basic(&iterator, bytes.baseAddress)
    }
    skip()
    return number
  }
}

// MARK: Containers

extension MessageReader {
  /// Calls `element` for each element, whether or not it reads it. Returns false if no array is
  /// next.
  @discardableResult
  public mutating func array(_ element: (inout MessageReader) -> Void) -> Bool {
    guard next == UInt8(ascii: "a") else { return false }
    var inner = MessageReader(into: &self)
    while !inner.isAtEnd {
      let before = inner.position
      element(&inner)
      if inner.position == before { inner.skip() }
    }
    skip()
    return true
  }

  /// Calls `entry` for each entry, with a reader for key and value. Returns false if no dictionary
  /// is next.
  @discardableResult
  public mutating func dictionary(_ entry: (inout MessageReader) -> Void) -> Bool {
    guard elementCode == UInt8(ascii: "e") else { return false }
    return array { inner in
      var pair = MessageReader(into: &inner)
      entry(&pair)
    }
  }

  public mutating func bytes() -> [UInt8]? {
    guard elementCode == UInt8(ascii: "y") else { return nil }
    var inner = MessageReader(into: &self)
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    unsafe dbus_message_iter_get_fixed_array(&inner.iterator, &start, &count)
    // The bytes belong to the message, so they are copied.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    skip()
    return bytes
  }

  public mutating func strings() -> [String]? {
    guard elementCode == UInt8(ascii: "s") else { return nil }
    var strings: [String] = []
    array { inner in
      if let string = inner.string() { strings.append(string) }
    }
    return strings
  }

  /// `a{sv}` without the variants. Properties with descriptors are omitted.
  public mutating func properties() -> [String: Value]? {
    var properties: [String: Value] = [:]
    let isDictionary = dictionary { entry in
      guard let name = entry.string(), let value = entry.value() else { return }
      properties[name] = value.unwrapped
    }
    return isDictionary ? properties : nil
  }

  /// `a{sa{sv}}`: properties by interface, as in InterfacesAdded.
  public mutating func interfaces() -> [String: [String: Value]]? {
    var interfaces: [String: [String: Value]] = [:]
    let isDictionary = dictionary { entry in
      guard let name = entry.string(), let properties = entry.properties() else { return }
      interfaces[name] = properties
    }
    return isDictionary ? interfaces : nil
  }

  /// `a{oa{sa{sv}}}`: interfaces by object, as in GetManagedObjects.
  public mutating func objects() -> [String: [String: [String: Value]]]? {
    var objects: [String: [String: [String: Value]]] = [:]
    let isDictionary = dictionary { entry in
      guard let path = entry.objectPath(), let interfaces = entry.interfaces() else { return }
      objects[path] = interfaces
    }
    return isDictionary ? objects : nil
  }

  /// The element type of the next array; nil if no array is next.
  private var elementCode: UInt8? {
    mutating get {
      guard next == UInt8(ascii: "a") else { return nil }
      return UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_element_type(&iterator))
    }
  }
}

// MARK: Any value

extension MessageReader {
  /// The next value. Returns nil and skips it if it is or contains a descriptor.
  public mutating func value() -> Value? {
    let before = position
    let value = readValue()
    if position == before { skip() }
    return value
  }

  private mutating func readValue() -> Value? {
    switch Unicode.Scalar(next) {
    case "s": string().map(Value.string)
    case "o": objectPath().map(Value.objectPath)
    case "g": signature().map(Value.signature)
    case "b": bool().map(Value.bool)
    case "y": byte().map(Value.byte)
    case "n": int16().map(Value.int16)
    case "q": uint16().map(Value.uint16)
    case "i": int32().map(Value.int32)
    case "u": uint32().map(Value.uint32)
    case "x": int64().map(Value.int64)
    case "t": uint64().map(Value.uint64)
    case "d": double().map(Value.double)
    case "a": arrayValue()
    case "r": structureValue()
    case "v": variantValue()
    default: nil
    }
  }

  private mutating func variantValue() -> Value? {
    var inner = MessageReader(into: &self)
    return inner.value().map(Value.variant)
  }

  private mutating func structureValue() -> Value? {
    var inner = MessageReader(into: &self)
    return inner.rest().map(Value.structure)
  }

  private mutating func arrayValue() -> Value? {
    guard elementCode != UInt8(ascii: "y") else { return bytes().map(Value.bytes) }
    let content = String(typeHere().dropFirst())
    var inner = MessageReader(into: &self)
    guard elementCode == UInt8(ascii: "e") else { return inner.rest().map { .array($0, of: content) } }
    var entries: [Value.Entry] = []
    while !inner.isAtEnd {
      var pair = MessageReader(into: &inner)
      guard let key = pair.value(), let value = pair.value() else { return nil }
      entries.append(Value.Entry(key, value))
      inner.skip()
    }
    // The content is "{", one letter for the key, the type of the value, "}".
    let types = content.dropFirst().dropLast()
    return .dictionary(entries, keys: String(types.prefix(1)), values: String(types.dropFirst()))
  }

  /// All remaining values; nil if any of them cannot be a `Value`.
  private mutating func rest() -> [Value]? {
    var values: [Value] = []
    while !isAtEnd {
      guard let value = value() else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func typeHere() -> String {
    guard let signature = unsafe dbus_message_iter_get_signature(&iterator) else { fatalError("out of memory") }
    // The text must be freed by us.
    defer { unsafe dbus_free(signature) }
    return unsafe String(cString: signature)
  }
}

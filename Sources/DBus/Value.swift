// Any D-Bus value except file descriptors. Containers that can be empty carry the signature of
// their content, so that every value knows its signature.

public indirect enum Value: Hashable, Sendable {
  case string(String)
  case objectPath(String)
  case signature(String)
  case bool(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// An array of bytes (`ay`), which `array` never holds.
  case bytes([UInt8])
  case array([Value], of: String)
  case dictionary([Entry], keys: String, values: String)
  case structure([Value])
  case variant(Value)

  public struct Entry: Hashable, Sendable {
    public let key: Value
    public let value: Value

    public init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  public var signature: String {
    switch self {
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .bool: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .bytes: "ay"
    case .array(_, let element): "a" + element
    case .dictionary(_, let keys, let values): "a{" + keys + values + "}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }
}

// MARK: Common values

extension Value {
  /// A dictionary of variants by name (`a{sv}`), in the order of the names.
  public static func properties(_ properties: [String: Value]) -> Value {
    let entries = properties.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) }
    return .dictionary(entries, keys: "s", values: "v")
  }

  public static func strings(_ strings: [String]) -> Value { .array(strings.map(Value.string), of: "s") }

  public static func objectPaths(_ paths: [String]) -> Value { .array(paths.map(Value.objectPath), of: "o") }
}

// MARK: Accessors, nil for values of another type

extension Value {
  /// The content of a variant at any depth; other values are unchanged.
  public var unwrapped: Value {
    if case .variant(let inner) = self { inner.unwrapped } else { self }
  }

  /// A string, an object path or a signature.
  public var text: String? {
    switch unwrapped {
    case .string(let text), .objectPath(let text), .signature(let text): text
    default: nil
    }
  }

  public var boolean: Bool? {
    if case .bool(let flag) = unwrapped { flag } else { nil }
  }

  /// Any integer; nil for a 64-bit one too large for Int.
  public var integer: Int? {
    switch unwrapped {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }

  public var byteArray: [UInt8]? {
    if case .bytes(let bytes) = unwrapped { bytes } else { nil }
  }

  public var entries: [Entry]? {
    if case .dictionary(let entries, _, _) = unwrapped { entries } else { nil }
  }

  /// An array whose every element is text.
  public var texts: [String]? {
    guard case .array(let values, _) = unwrapped else { return nil }
    let texts = values.compactMap(\.text)
    return texts.count == values.count ? texts : nil
  }
}

// Measured values by field, without an allocation. An absent value costs nothing to test.

public protocol ActivityField: CaseIterable, RawRepresentable, Equatable, Sendable where RawValue == Int {
  /// The name in text formats, with its unit.
  var name: String { get }
}

public struct FieldValues<Field: ActivityField>: Sendable {
  private var present: UInt64 = 0
  private var storage = InlineArray<40, Double>(repeating: 0)

  public init() {}

  /// A value that is not finite is unknown.
  public subscript(field: Field) -> Double? {
    get { present & 1 << UInt64(field.rawValue) == 0 ? nil : storage[field.rawValue] }
    set {
      let bit: UInt64 = 1 << UInt64(field.rawValue)
      if let newValue, newValue.isFinite {
        storage[field.rawValue] = newValue
        present |= bit
      } else {
        storage[field.rawValue] = 0
        present &= ~bit
      }
    }
  }

  public var isEmpty: Bool { present == 0 }
}

extension FieldValues: Equatable {
  public static func == (left: Self, right: Self) -> Bool {
    left.present == right.present && left.storage.indices.allSatisfy { left.storage[$0] == right.storage[$0] }
  }
}

extension FieldValues: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (Field, Double)...) {
    for (field, value) in elements { self[field] = value }
  }
}

// One step of a computation: reads registers, writes a register. A number that is unknown is NaN,
// which arithmetic passes on by itself.

struct Operation: Sendable {
  enum Name: UInt8, Sendable {
    case constant
    case add, subtract, multiply, divide, remainder
    case negate, not, complement
    case and, or, exclusiveOr, shiftLeft, shiftRight
    /// The bits from `c` on, as many as the constant has.
    case bits
    case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    case both, either
    /// The second if the first is unknown.
    case coalesce
    /// The second or the third, by the first.
    case select
    /// The second if the first is known, else the third.
    case selectKnown
    /// The first if the second is known.
    case onlyIfKnown
    case abs, min, max, round, floor, squareRoot, powerOfTen, known
    /// The byte of the packet at that place.
    case byte
    /// How many items a list has.
    case count
    /// The item of a list at the index.
    case item
  }

  /// Which of the operands is the constant.
  enum Side: UInt8, Sendable { case none, first, second }

  var name: Name
  var side = Side.none
  var target: UInt8
  var a: UInt8 = 0
  var b: UInt8 = 0
  var c: UInt8 = 0
  var constant = 0.0
}

/// The operations of one expression, and the register of its value.
struct Code: Sendable {
  let start: UInt16
  let end: UInt16
  let result: UInt8
}

/// An expression over each number of a list.
struct ListCode: Sendable {
  /// How many items; unknown if the list is.
  let count: Code
  /// The item at the index.
  let item: Code
  /// How many numbers each published item has.
  let width: UInt8
}

/// The uses of the registers.
enum RegisterMap {
  static let count = 256
  /// Fields of the packet and of its group, and what was kept.
  static let names = 0..<64
  static let mostCounters = 16
  /// Each counter has its rate, delta, total and standstill.
  static let counters = 64..<128
  static let length: UInt8 = 128
  static let company: UInt8 = 129
  static let circumference: UInt8 = 130
  static let wheel: UInt8 = 131
  /// The value of a command.
  static let value: UInt8 = 132
  static let index: UInt8 = 133
  static let temporaries = 136..<256

  /// Its rate, delta, total and standstill.
  static func registers(ofCounter counter: Int) -> Range<UInt8> {
    let first = UInt8(counters.lowerBound + 4 * counter)
    return first..<first + 4
  }
}

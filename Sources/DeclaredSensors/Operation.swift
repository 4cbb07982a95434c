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

    // The flow of a packet's program, which `PacketLinker` makes. `link` is where to go on, or the
    // number of a field, a rule or a record.

    case goOn
    /// Goes on at the link unless the condition `a` holds.
    case unless
    /// Goes on at the link unless bit `c` of `a` is set, or is clear.
    case unlessSet, unlessClear
    /// Reads a number. The constant means unknown.
    case readU8, readI8, readU16, readI16, readU32
    /// The same for the form of the field of the link.
    case readNumber
    /// Makes the target unknown if it is the constant.
    case unknown
    /// Checks the bounds of the field of the link, which was read last, in `a`.
    case bounds
    /// Reads the field of the link.
    case readField
    /// Continues reading at the byte of the field of the link.
    case goTo
    case readRecords
    /// Goes on at the link if all bytes have been read.
    case ifRead
    case refuseRest
    /// Refuses the packet if a check has failed.
    case requireChecks
    /// Refuses what is left and failed checks, and ends.
    case finish
    /// Refuses the packet by the rule of the link if `a` holds.
    case refuse
    /// Begins the record of the link, at the latest with its first field.
    case record
    case begin
    /// Publishes `a` as the field of the link if it is known.
    case publishNumber
    /// The same of `a` times or by the constant.
    case publishProduct, publishQuotient
    case publishFlag, publishWord
    /// Publishes the field of the link, which computes its own values.
    case publish
    case end
  }

  /// Which of the operands is the constant.
  enum Side: UInt8, Sendable { case none, first, second }

  var name: Name
  var side = Side.none
  var target: UInt8
  var a: UInt8 = 0
  var b: UInt8 = 0
  var c: UInt8 = 0
  var link: UInt16 = 0
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

  /// The item is that of one field, with constants.
  let isPlain: Bool

  init(count: Code, item: Code, width: UInt8, _ operations: ArraySlice<Operation>) {
    self.count = count
    self.item = item
    self.width = width
    isPlain =
      operations.first?.name == .item
      && operations.dropFirst().allSatisfy {
        [.add, .subtract, .multiply, .divide].contains($0.name) && $0.side != .none
      }
  }
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
  /// The address of the sender as a number, its last byte first.
  static let sender: UInt8 = 134
  static let temporaries = 136..<256

  /// Its rate, delta, total and standstill.
  static func registers(ofCounter counter: Int) -> Range<UInt8> {
    let first = UInt8(counters.lowerBound + 4 * counter)
    return first..<first + 4
  }
}

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
    // number of a field, a rule or a counter.

    case goOn
    /// Goes on at the link if the condition `a` holds, or unless it does.
    case ifHolds, unless
    /// Goes on at the link if `a` is known, or unless it is.
    case ifKnown, unlessKnown
    /// Goes on at the link unless bit `c` of `a` is set, or is clear.
    case unlessSet, unlessClear
    /// Reads a number. The constant means unknown. A number out of bounds fails the check of the field
    /// of the link.
    case readU8, readI8, readU16, readI16, readU32
    /// The same for the form of the field of the link.
    case readNumber
    /// Makes the target unknown if it is the constant.
    case unknown
    /// Reads numbers of 2 to the power of `c` bytes to the end of the packet, by the field of the link.
    case readList
    /// Notes where `c` bytes are, by the field of the link.
    case readBytes
    /// Passes over `c` bytes.
    case skip
    /// Reads the field of the link.
    case readField
    /// Continues reading at the byte of the field of the link.
    case goTo
    case readRecords
    case refuseRest
    /// Refuses the packet if a check has failed.
    case requireChecks
    /// Refuses what is left and failed checks, and ends reading. A record of the form `c` begins.
    case finish
    /// Refuses the packet by the rule of the link if `a` holds.
    case refuse
    /// Ends here if `Once` of the packet of the link has the number that it had last.
    case once
    /// Reads the counter of the target: count `a`, clock `b`, unit `c` or the constant.
    case readCounter
    /// The same for the reading of the link, whose values are computed.
    case computeCounter
    /// Whether the counter of the target stands is unknown.
    case missCounter
    /// A record of the form `c` begins, at the latest with its first field.
    case record
    case begin
    /// Publishes `a` if it is known.
    case publishNumber
    /// The same of `a` and the constant.
    case publishSum, publishProduct, publishQuotient
    /// Publishes the flag of `a`, or the constant.
    case publishFlag
    /// Publishes the text of `a` by the field of the link.
    case publishText
    /// Publishes the word of `a` by the field of the link.
    case publishWord
    /// Publishes the word of the row of the link.
    case publishRow
    /// Publishes numbers of the list of the field of the link: `a`, or the constant.
    case publishNumbers
    /// Publishes the field of the link, which computes its own values.
    case publish
    /// Refuses the packet of the link if its records do not fit. The rest cannot fail.
    case commit
    /// Keeps the number of `Once` for the packet of the link.
    case remember
    /// Keeps the field of the link.
    case keep
    /// The sensor rests if `c` is not 0.
    case rest
    /// Rate and difference of a counter, in `a` and after it, were those of this packet.
    case endReading
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

extension Operation {
  /// How many operands an operation that computes a value has; nil for one of the flow.
  var operandCount: Int? {
    switch name {
    case .constant: 0
    case .negate, .not, .complement, .bits, .abs, .round, .floor, .squareRoot, .powerOfTen, .known, .byte, .count,
      .item:
      1
    case .select, .selectKnown: 3
    case .add, .subtract, .multiply, .divide, .remainder, .and, .or, .exclusiveOr, .shiftLeft, .shiftRight, .equal,
      .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual, .both, .either, .coalesce, .onlyIfKnown, .min, .max:
      2
    default: nil
    }
  }

  /// The registers that an operation that computes a value reads.
  var operands: OperandList {
    let count = operandCount ?? 0
    var list = OperandList()
    if count > 0, side != .first { list.append(a) }
    if count > 1, side != .second { list.append(b) }
    if count > 2 { list.append(c) }
    return list
  }
}

/// At most three registers.
struct OperandList {
  private var registers = InlineArray<3, UInt8>(repeating: 0)
  private(set) var count = 0

  subscript(_ index: Int) -> UInt8 { registers[index] }

  fileprivate mutating func append(_ register: UInt8) {
    registers[count] = register
    count += 1
  }
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

// The values of one sensor: fields, what was kept, and what operations compute. NaN is unknown.

internal import CMath
import SensorKit

struct Registers: Sendable {
  private var values = InlineArray<256, Double>(repeating: .nan)
  /// The bytes of texts and lists that are kept: a part of `mostBytes` for each kept register.
  private(set) var keptBytes: [UInt8] = []

  /// A member of unknown size makes the compiler pass the registers by address. With a known size it
  /// would copy all of them wherever one is read.
  private let byAddress: any Sendable = ()

  /// Of a packet: as many as a characteristic can have.
  static let mostBytes = 512

  init() {}

  init(for program: SensorProgram) {
    if program.keepsBytes {
      keptBytes = [UInt8](repeating: 0, count: Self.mostBytes * program.keptRegisters.count)
    }
  }

  subscript(_ register: UInt8) -> Double {
    @inline(__always) get { values[Int(register)] }
    @inline(__always) set { values[Int(register)] = newValue }
  }

  /// Keeps a field that is known.
  mutating func keep(_ field: KeptField, of program: SensorProgram, _ bytes: Span<UInt8>) {
    if self[field.register].isNaN { return }
    if field.hasBytes {
      keepBytes(field, program, bytes)
    } else {
      self[field.kept] = self[field.register]
    }
  }

  /// Copies a text or a list from a packet. It has at most `mostBytes`.
  private mutating func keepBytes(_ field: KeptField, _ program: SensorProgram, _ bytes: Span<UInt8>) {
    let place = ByteRange(self[field.register])
    let start = Self.mostBytes * Int(field.kept)
    for index in 0..<place.byteCount(program) { keptBytes[start + index] = bytes[place.start + index] }
    self[field.kept] = ByteRange(start: start, count: place.count, step: place.step, isKept: true).value
  }

  mutating func forget(_ range: Range<Int>) {
    for index in range { values[index] = .nan }
  }

  /// Whether a condition holds. An unknown one does not.
  @inline(__always)
  mutating func holds(_ code: Code, _ program: SensorProgram, _ bytes: Span<UInt8>) -> Bool {
    let value = run(code, program, bytes)
    return value != 0 && !value.isNaN
  }

  @inline(__always)
  mutating func run(_ code: Code, _ program: SensorProgram, _ bytes: Span<UInt8>) -> Double {
    if code.start != code.end { execute(code, program, bytes) }
    return self[code.result]
  }

  private mutating func execute(_ code: Code, _ program: SensorProgram, _ bytes: Span<UInt8>) {
    for index in Int(code.start)..<Int(code.end) { compute(program.operations[index], program, bytes) }
  }

  @inline(__always)
  private func compute(
    _ operation: Operation, _ first: Double, _ second: Double, _ program: SensorProgram, _ bytes: Span<UInt8>
  ) -> Double {
    switch operation.name {
    case .constant: operation.constant
    case .add: Self.finite(first + second)
    case .subtract: Self.finite(first - second)
    case .multiply: Self.finite(first * second)
    case .divide: Self.finite(first / second)
    case .remainder: Self.finite(fmod(first, second))
    case .negate: -first
    case .not: first.isNaN ? .nan : first == 0 ? 1 : 0
    case .complement: bits(first, 0) { one, _ in ~one }
    case .and: bits(first, second) { $0 & $1 }
    case .or: bits(first, second) { $0 | $1 }
    case .exclusiveOr: bits(first, second) { $0 ^ $1 }
    case .shiftLeft: bits(first, second) { $1 < 32 ? $0 << $1 : 0 }
    case .shiftRight: bits(first, second) { $1 < 32 ? $0 >> $1 : 0 }
    case .bits: Self.bits(first, from: operation.c, operation.constant)
    case .equal: Self.flag(first, second, first == second)
    case .unequal: Self.flag(first, second, first != second)
    case .less: Self.flag(first, second, first < second)
    case .lessOrEqual: Self.flag(first, second, first <= second)
    case .greater: Self.flag(first, second, first > second)
    case .greaterOrEqual: Self.flag(first, second, first >= second)
    case .both: first == 0 || second == 0 ? 0 : Self.flag(first, second, true)
    case .either: Self.isTrue(first) || Self.isTrue(second) ? 1 : Self.flag(first, second, false)
    case .coalesce: first.isNaN ? second : first
    case .select: first.isNaN ? .nan : first != 0 ? second : self[operation.c]
    case .selectKnown: first.isNaN ? self[operation.c] : second
    case .onlyIfKnown: second.isNaN ? .nan : first
    case .abs: first.magnitude
    case .min: Self.flag(first, second, true) * Swift.min(first, second)
    case .max: Self.flag(first, second, true) * Swift.max(first, second)
    case .round: rounded(first)
    case .floor: floor(first)
    case .squareRoot: first < 0 ? .nan : first.squareRoot()
    case .powerOfTen: Self.finite(pow(10, first))
    case .known: first.isNaN ? 0 : 1
    case .byte: byte(at: first, of: bytes)
    case .count: first.isNaN ? .nan : Double(ByteRange(first).count)
    case .item: item(of: first, program, bytes)
    default: .nan
    }
  }

  /// Sets the target of an operation to what `body` makes of its operands.
  @inline(__always)
  mutating func set(_ operation: Operation, _ body: (Double, Double) -> Double) {
    let first = operation.side == .first ? operation.constant : self[operation.a]
    let second = operation.side == .second ? operation.constant : self[operation.b]
    self[operation.target] = body(first, second)
  }

  /// The constant, or `a`.
  @inline(__always)
  func first(of operation: Operation) -> Double {
    operation.side == .second ? operation.constant : self[operation.a]
  }

  /// Whether a branch goes on at its link.
  @inline(__always)
  func goesOn(_ operation: Operation) -> Bool {
    switch operation.name {
    case .ifHolds: holds(operation.a)
    case .unless: !holds(operation.a)
    case .ifKnown: !self[operation.a].isNaN
    case .unlessKnown: self[operation.a].isNaN
    case .unlessSet: bit(operation.c, of: operation.a) != 1
    case .unlessClear: bit(operation.c, of: operation.a) != 0
    default: true
    }
  }

  /// Runs any operation that computes a value.
  @inline(never)
  mutating func execute(_ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>) {
    compute(operation, program, bytes)
  }

  @inline(__always)
  private mutating func compute(_ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>) {
    let first = operation.side == .first ? operation.constant : self[operation.a]
    let second = operation.side == .second ? operation.constant : self[operation.b]
    self[operation.target] = compute(operation, first, second, program, bytes)
  }

  /// Whether a condition holds. An unknown one does not.
  @inline(__always)
  func holds(_ register: UInt8) -> Bool { Self.isTrue(self[register]) }

  /// Unknown if the field is.
  @inline(__always)
  func bit(_ bit: UInt8, of register: UInt8) -> UInt32? {
    let value = self[register]
    return value.isNaN ? nil : Self.lowestBits(value) >> UInt32(bit & 31) & 1
  }

  /// Infinity is not a value of the language.
  @inline(__always)
  static func finite(_ value: Double) -> Double { value.magnitude < .infinity ? value : .nan }

  @inline(__always)
  static func isTrue(_ value: Double) -> Bool { value != 0 && !value.isNaN }

  @inline(__always)
  static func flag(_ first: Double, _ second: Double, _ flag: Bool) -> Double {
    first.isNaN || second.isNaN ? .nan : flag ? 1 : 0
  }

  @inline(__always)
  private func byte(at place: Double, of bytes: Span<UInt8>) -> Double {
    guard place >= 0, place < Double(bytes.count) else { return .nan }
    return Double(bytes[Int(place)])
  }

  /// Bits of a number, as many as the mask has.
  @inline(__always)
  static func bits(_ number: Double, from low: UInt8, _ mask: Double) -> Double {
    number.isNaN ? .nan : Double(lowestBits(number) >> UInt32(low & 31) & lowestBits(mask))
  }

  private func item(of list: Double, _ program: SensorProgram, _ bytes: Span<UInt8>) -> Double {
    let index = self[RegisterMap.index]
    guard !list.isNaN, !index.isNaN else { return .nan }
    let place = ByteRange(list)
    guard index < Double(place.count) else { return .nan }
    let form = program.steps[place.step].form
    let start = place.start + Int(index) * form.width
    return place.isKept ? form.read(keptBytes.span, at: start) : form.read(bytes, at: start)
  }

  /// Halves go up.
  @inline(__always)
  private func rounded(_ value: Double) -> Double {
    let lower = floor(value)
    return value - lower >= 0.5 ? lower + 1 : lower
  }

  @inline(__always)
  private func bits(_ first: Double, _ second: Double, _ combine: (UInt32, UInt32) -> UInt32) -> Double {
    guard !first.isNaN, !second.isNaN else { return .nan }
    return Double(combine(Self.lowestBits(first), Self.lowestBits(second)))
  }

  /// The lowest 32 bits of the whole part; of a number below 0 its two's complement.
  @inline(__always)
  static func lowestBits(_ number: Double) -> UInt32 {
    if number.magnitude < 9e18 { return UInt32(truncatingIfNeeded: Int64(number)) }
    guard number.isFinite else { return 0 }
    return UInt32(truncatingIfNeeded: Int64(fmod(number, 4_294_967_296)))
  }
}

/// Where a text or a list is in the packet or among what is kept, and the field that reads it, as an
/// exact number.
struct ByteRange {
  let start: Int
  let count: Int
  let step: Int
  let isKept: Bool

  @inline(__always)
  init(start: Int, count: Int, step: Int, isKept: Bool = false) {
    (self.start, self.count, self.step, self.isKept) = (start, count, step, isKept)
  }

  @inline(__always)
  init(_ value: Double) {
    let bits = Int64(value)
    start = Int(bits & 0xffff)
    count = Int(bits >> 16 & 0xffff)
    step = Int(bits >> 32 & 0xfffff)
    isKept = bits >> 52 & 1 == 1
  }

  @inline(__always)
  var value: Double {
    Double(Int64(start) | Int64(count) << 16 | Int64(step) << 32 | (isKept ? 1 << 52 : 0))
  }

  func byteCount(_ program: SensorProgram) -> Int {
    let step = program.steps[step]
    return step.content == .list ? count * step.form.width : count
  }
}

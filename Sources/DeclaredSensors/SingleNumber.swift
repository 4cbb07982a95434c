// A packet that is one number, published as the one field of a sample, as of most characteristics of
// the Bluetooth SIG that hold a measurement. It is decoded without registers.

internal import SensorKit

struct SingleNumber: Sendable {
  private let form: NumberForm
  private let unknown: Double
  private let lowest: Double
  private let highest: Double
  private let failure: DecodeError.Reason
  private let kind: SampleKind
  /// Publishes the number, alone or with its constant.
  private let publication: Operation.Name
  private let constant: Double
  private let field: Field

  /// Nil for a packet of another shape. `code` is its program.
  init?(_ packet: PacketProgram, _ code: ArraySlice<Instruction>, _ parts: ProgramParts) {
    guard code.count == 4, let reading = code.first, code[code.startIndex + 1].operation.name == .finish,
      code.last?.operation.name == .end, packet.steps.count == 1, packet.publications.count == 1,
      case .sample(let kind) = parts.publications[packet.publications.lowerBound].form
    else { return nil }
    let publishing = code[code.startIndex + 2]
    switch reading.operation.name {
    case .readU8, .readI8, .readU16, .readI16, .readU32, .readNumber: break
    default: return nil
    }
    switch publishing.operation.name {
    case .publishNumber, .publishSum, .publishProduct, .publishQuotient: break
    default: return nil
    }
    guard publishing.operation.a == reading.operation.target else { return nil }
    let step = parts.steps[packet.steps.lowerBound]
    form = step.form
    unknown = reading.operation.constant
    lowest = reading.lowest
    highest = reading.highest
    failure = step.check.map { parts.checks[$0].boundsFailure } ?? .outOfRange
    self.kind = kind
    publication = publishing.operation.name
    constant = publishing.operation.constant
    field = publishing.field
  }

  @inline(__always)
  func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    let width = form.width
    guard value.count >= width else { throw DecodeError(.truncated, at: 0) }
    let number = form.read(value, at: 0)
    guard value.count == width else { throw DecodeError(.trailingBytes, at: width) }
    if number == unknown || number.isNaN { return }
    if number < lowest || number > highest { throw DecodeError(failure, at: 0) }
    let published = combined(number)
    if published.isNaN { return }
    batch.sample(kind)
    batch.set(field, published)
    if batch.overflowed { throw DecodeError(.outOfRange, at: value.count) }
  }

  @inline(__always)
  private func combined(_ number: Double) -> Double {
    switch publication {
    case .publishSum: Registers.finite(number + constant)
    case .publishProduct: Registers.finite(number * constant)
    case .publishQuotient: Registers.finite(number / constant)
    default: number
    }
  }
}

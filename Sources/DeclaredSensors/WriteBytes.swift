// The bytes of a write, with the numbers of the moment.

internal import SensorKit

struct WriteBytes {
  private var bytes = InlineArray<64, UInt8>(repeating: 0)
  private var count = 0

  /// Nil if a number is unknown, not whole, or out of range.
  init?(_ write: WriteProgram, _ program: SensorProgram, _ registers: inout Registers) {
    for index in write.pieces {
      switch program.pieces[index] {
      case .byte(let byte): append(byte)
      case .number(let code, let width, let isSigned):
        let packet: [UInt8] = []
        guard let number = Self.whole(registers.run(code, program, packet.span), width, isSigned) else { return nil }
        for place in 0..<width { append(UInt8(truncatingIfNeeded: number >> Int64(8 * place))) }
      case .exclusiveOr: append(check { $0 ^ $1 })
      case .sum: append(check { $0 &+ $1 })
      }
    }
  }

  func write(_ write: WriteProgram, into batch: inout Batch) {
    batch.write(bytes.span.extracting(0..<count), to: write.service, write.characteristic)
  }

  private mutating func append(_ byte: UInt8) {
    guard count < bytes.count else { return }
    bytes[count] = byte
    count += 1
  }

  private func check(_ combine: (UInt8, UInt8) -> UInt8) -> UInt8 {
    var result: UInt8 = 0
    for index in 0..<count { result = combine(result, bytes[index]) }
    return result
  }

  /// A number that a double cannot hold exactly, such as 0.1 * 10, counts as whole.
  private static func whole(_ number: Double, _ width: Int, _ isSigned: Bool) -> Int64? {
    guard number.magnitude < 1e15 else { return nil }
    let rounded = number.rounded()
    guard abs(number - rounded) < 1e-6 else { return nil }
    let half = Int64(1) << Int64(8 * width - 1)
    let range = isSigned ? -half...half - 1 : 0...2 * half - 1
    let whole = Int64(rounded)
    return range.contains(whole) ? whole : nil
  }
}

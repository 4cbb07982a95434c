// Cycling Power Control Point, 0x2A66: one table of its procedures, from which commands are written and answers read.

import SensorKit

struct CyclingPowerProcedure {
  enum Parameter {
    case none
    case location
    case count
    /// A uint16 with so many steps in one unit of the user's value.
    case steps(Double)
  }

  enum Answer {
    case none
    case locations
    /// A uint16 with so many steps in one unit. Asked for, it must be there; after setting, the specification has none,
    /// yet some meters repeat what was set.
    case steps(Field, Double, isRequired: Bool)
    case offset
    case offsetWithDetails
    case samplingRate
    case date
  }

  static let setCumulative: UInt8 = 0x01

  let opcode: UInt8
  let name: String
  let parameter: Parameter
  let answer: Answer

  init(_ opcode: UInt8, _ name: String, _ parameter: Parameter = .none, answer: Answer = .none) {
    self.opcode = opcode
    self.name = name
    self.parameter = parameter
    self.answer = answer
  }

  private static let crankLength = Field("crank_length_mm")
  private static let chainLength = Field("chain_length_mm")
  private static let chainWeight = Field("chain_weight_g")
  private static let spanLength = Field("span_length_mm")

  static let all: [CyclingPowerProcedure] = [
    CyclingPowerProcedure(setCumulative, "set_cumulative", .count),
    CyclingPowerProcedure(0x02, "set_location", .location),
    CyclingPowerProcedure(0x03, "list_locations", answer: .locations),
    CyclingPowerProcedure(0x04, "set_crank_length", .steps(2), answer: .steps(crankLength, 2, isRequired: false)),
    CyclingPowerProcedure(0x05, "crank_length", answer: .steps(crankLength, 2, isRequired: true)),
    CyclingPowerProcedure(0x06, "set_chain_length", .steps(1), answer: .steps(chainLength, 1, isRequired: false)),
    CyclingPowerProcedure(0x07, "chain_length", answer: .steps(chainLength, 1, isRequired: true)),
    CyclingPowerProcedure(0x08, "set_chain_weight", .steps(1), answer: .steps(chainWeight, 1, isRequired: false)),
    CyclingPowerProcedure(0x09, "chain_weight", answer: .steps(chainWeight, 1, isRequired: true)),
    CyclingPowerProcedure(0x0a, "set_span_length", .steps(1), answer: .steps(spanLength, 1, isRequired: false)),
    CyclingPowerProcedure(0x0b, "span_length", answer: .steps(spanLength, 1, isRequired: true)),
    CyclingPowerProcedure(0x0c, "zero_offset", answer: .offset),
    CyclingPowerProcedure(0x0d, "mask_content", .steps(1)),
    CyclingPowerProcedure(0x0e, "sampling_rate", answer: .samplingRate),
    CyclingPowerProcedure(0x0f, "factory_calibration_date", answer: .date),
    CyclingPowerProcedure(0x10, "enhanced_zero_offset", answer: .offsetWithDetails),
  ]

  /// Writes the command's value behind the op code; gives back how many bytes are to be sent.
  func write(_ command: Command, into bytes: inout InlineArray<5, UInt8>) throws(CommandError) -> Int {
    let (number, size): (UInt32, Int) =
      switch parameter {
      case .none: (0, 0)
      case .location: (try command.steps(1, in: 0...UInt32(SensorLocation.count - 1)), 1)
      case .steps(let scale): (try command.steps(scale, in: 0...0xffff), 2)
      case .count: (try command.steps(1, in: 0...UInt32.max), 4)
      }
    for index in 0..<size { bytes[index + 1] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
    return size + 1
  }
}

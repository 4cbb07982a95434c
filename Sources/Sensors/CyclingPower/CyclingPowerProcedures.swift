// The procedures of the Cycling Power Control Point, 0x2A66. The table is used both to write
// commands and to read responses.

import SensorKit

struct CyclingPowerProcedure {
  enum Parameter {
    case none
    case location
    case count
    /// A uint16 with this many steps per unit of the user's value.
    case steps(Double)
  }

  enum Answer {
    case none
    case locations
    /// A uint16 with this many steps per unit. A query must return it. After a set, the
    /// specification has none, but some meters repeat the new value.
    case steps(Field, Double, isRequired: Bool)
    case offset
    case offsetWithDetails
    case samplingRate
    case date
  }

  static let setCumulative: UInt8 = 0x01

  let opcode: UInt8
  let info: CommandInfo
  let parameter: Parameter
  let answer: Answer

  var name: String { info.name }

  init(_ opcode: UInt8, _ info: CommandInfo, _ parameter: Parameter = .none, answer: Answer = .none) {
    self.opcode = opcode
    self.info = info
    self.parameter = parameter
    self.answer = answer
  }

  private static let crankLength = Field("crank_length_mm")
  private static let chainLength = Field("chain_length_mm")
  private static let chainWeight = Field("chain_weight_g")
  private static let spanLength = Field("span_length_mm")

  private static let atRest =
    "Keep the bike upright and still, without weight on the pedals. Set the cranks vertical unless the maker says otherwise."

  static let all: [CyclingPowerProcedure] = [
    CyclingPowerProcedure(
      setCumulative,
      CommandInfo(
        "set_cumulative", "Set the counter of wheel revolutions", value: 0...4_294_967_295,
        meaning: "revolutions of the wheel"
      ).requiring(
        .wheelRevolutionData),
      .count),
    CyclingPowerProcedure(0x02, SensorLocation.setting, .location),
    CyclingPowerProcedure(0x03, SensorLocation.listing, answer: .locations),
    CyclingPowerProcedure(
      0x04,
      CommandInfo(
        "set_crank_length", "Set the crank length", value: 0...32_767, "mm", meaning: "in steps of 0.5"
      ).requiring(
        Field("crank_length_adjustment")), .steps(2),
      answer: .steps(crankLength, 2, isRequired: false)),
    CyclingPowerProcedure(
      0x05,
      CommandInfo("crank_length", "Read the crank length").requiring(Field("crank_length_adjustment")),
      answer: .steps(crankLength, 2, isRequired: true)),
    CyclingPowerProcedure(
      0x06,
      CommandInfo("set_chain_length", "Set the chain length", value: 0...65_535, "mm").requiring(
        Field("chain_length_adjustment")), .steps(1),
      answer: .steps(chainLength, 1, isRequired: false)),
    CyclingPowerProcedure(
      0x07,
      CommandInfo("chain_length", "Read the chain length").requiring(Field("chain_length_adjustment")),
      answer: .steps(chainLength, 1, isRequired: true)),
    CyclingPowerProcedure(
      0x08,
      CommandInfo("set_chain_weight", "Set the chain weight", value: 0...65_535, "g").requiring(
        Field("chain_weight_adjustment")), .steps(1),
      answer: .steps(chainWeight, 1, isRequired: false)),
    CyclingPowerProcedure(
      0x09,
      CommandInfo("chain_weight", "Read the chain weight").requiring(Field("chain_weight_adjustment")),
      answer: .steps(chainWeight, 1, isRequired: true)),
    CyclingPowerProcedure(
      0x0a,
      CommandInfo("set_span_length", "Set the length of the free chain", value: 0...65_535, "mm").requiring(
        Field("span_length_adjustment")), .steps(1),
      answer: .steps(spanLength, 1, isRequired: false)),
    CyclingPowerProcedure(
      0x0b,
      CommandInfo("span_length", "Read the length of the free chain").requiring(
        Field("span_length_adjustment")),
      answer: .steps(spanLength, 1, isRequired: true)),
    CyclingPowerProcedure(
      0x0c,
      CommandInfo("zero_offset", "Set the present force as zero", preparation: atRest).requiring(
        .offsetCompensation),
      answer: .offset),
    CyclingPowerProcedure(
      0x0d,
      CommandInfo(
        "mask_content", "Choose which fields are omitted", value: 0...65_535, meaning: "the mask of the specification"
      ).requiring(
        Field("content_masking")), .steps(1)),
    CyclingPowerProcedure(0x0e, CommandInfo("sampling_rate", "Read the sampling rate"), answer: .samplingRate),
    CyclingPowerProcedure(
      0x0f,
      CommandInfo("factory_calibration_date", "Read the date of the factory calibration").requiring(
        Field("factory_calibration_date")), answer: .date),
    CyclingPowerProcedure(
      0x10,
      CommandInfo("enhanced_zero_offset", "Like zero_offset, with a detailed answer", preparation: atRest).requiring(
        Field("enhanced_offset_compensation")),
      answer: .offsetWithDetails),
  ]

  /// Writes the command's value after the opcode. Returns the number of bytes to send.
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

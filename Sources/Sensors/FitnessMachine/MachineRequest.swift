// Requests to a machine as bytes for its control point: FTMS 1.0, section 4.16. Simulation
// describes a road by its grade, wind and rolling resistance, with defaults for a level road.

import SensorKit

struct MachineRequest {
  static let requestControl = MachineRequest(0x00)

  private static let targets = Field("target_features")

  static let commands = [
    CommandInfo("request_control", "Request control of the machine; the other commands do that by themselves"),
    CommandInfo("reset", "Clear all targets"),
    CommandInfo("target_speed", "Set the speed to hold", value: 0...182, "m/s").requiring(targets, bit: 0),
    CommandInfo("target_inclination", "Set the incline", value: -3276...3276, "%", meaning: "in steps of 0.1")
      .requiring(targets, bit: 1),
    CommandInfo(
      "target_resistance", "Set the resistance", value: 0...3276, meaning: "the machine's own level, in steps of 0.1"
    ).requiring(targets, bit: 2),
    CommandInfo("target_power", "Set the power to hold at any cadence", value: -32_768...32_767, "W").requiring(
      targets, bit: 3),
    CommandInfo("target_heart_rate", "Set the heart rate to hold", value: 0...255, "bpm").requiring(targets, bit: 4),
    CommandInfo("start", "Start or resume"),
    CommandInfo("stop", "Stop"),
    CommandInfo("pause", "Pause"),
    CommandInfo(
      "simulation", "Simulate a road",
      [
        CommandInfo.Parameter("grade_pct", "the grade of the road", in: -327...327, "%"),
        CommandInfo.Parameter("wind_speed_mps", "head wind, 0 if omitted", in: -32.7...32.7, "m/s"),
        CommandInfo.Parameter("rolling_resistance", "coefficient, 0.004 if omitted", in: 0...0.0255),
        CommandInfo.Parameter("wind_resistance_kg_per_m", "0.51 if omitted", in: 0...2.55, "kg/m"),
      ]
    ).requiring(targets, bit: 13),
    CommandInfo(
      "set_circumference", "Set the circumference of the wheel", value: 0...6553, "mm", meaning: "in steps of 0.1"
    ).requiring(
      targets, bit: 14),
    CommandInfo(
      "spin_down", "Start a spin-down calibration",
      preparation: "Speed up as the machine asks, then stop pedalling and let the wheel roll out."
    ).requiring(targets, bit: 15),
    CommandInfo("ignore_spin_down", "Decline a calibration that the machine requests").requiring(targets, bit: 15),
    CommandInfo("target_cadence", "Set the cadence to hold", value: 0...32_767, "rpm", meaning: "in steps of 0.5")
      .requiring(
        targets, bit: 16),
  ]

  private(set) var bytes = InlineArray<8, UInt8>(repeating: 0)
  private(set) var length = 1

  var opcode: UInt8 { bytes[0] }

  private init(_ opcode: UInt8) {
    bytes[0] = opcode
  }

  private init(_ opcode: UInt8, _ parameter: UInt8) {
    self.init(opcode)
    append(parameter)
  }

  init(_ command: Command, wideResistance: Bool) throws(CommandError) {
    switch command.name {
    case "request_control": self.init(0x00)
    case "reset": self.init(0x01)
    case "start": self.init(0x07)
    case "stop": self.init(0x08, 1)
    case "pause": self.init(0x08, 2)
    case "spin_down": self.init(0x13, 1)
    case "ignore_spin_down": self.init(0x13, 2)
    case "simulation": try self.init(simulation: command)
    default: try self.init(target: command, wideResistance: wideResistance)
    }
  }

  private init(target command: Command, wideResistance: Bool) throws(CommandError) {
    guard let value = command.value else { throw .badValue }
    switch command.name {
    case "target_speed":
      self.init(0x02)
      append(UInt16(try steps(value * 360, in: 0...0xffff)))
    case "target_inclination":
      self.init(0x03)
      append(Int16(try steps(value * 10, in: -0x8000...0x7fff)))
    case "target_resistance" where wideResistance:
      self.init(0x04)
      append(Int16(try steps(value * 10, in: -0x8000...0x7fff)))
    case "target_resistance": self.init(0x04, UInt8(try steps(value * 10, in: 0...0xff)))
    case "target_power":
      self.init(0x05)
      append(Int16(try steps(value, in: -0x8000...0x7fff)))
    case "target_heart_rate": self.init(0x06, UInt8(try steps(value, in: 0...0xff)))
    case "set_circumference":
      self.init(0x12)
      append(UInt16(try steps(value * 10, in: 0...0xffff)))
    case "target_cadence":
      self.init(0x14)
      append(UInt16(try steps(value * 2, in: 0...0xffff)))
    default: throw .notSupported
    }
  }

  /// The grade is either the command's value or a parameter.
  private init(simulation command: Command) throws(CommandError) {
    let parameters = command.parameters
    guard let grade = command.value ?? parameters["grade_pct"] else { throw .badValue }
    self.init(0x11)
    append(Int16(try steps((parameters["wind_speed_mps"] ?? 0) * 1000, in: -0x8000...0x7fff)))
    append(Int16(try steps(grade * 100, in: -0x8000...0x7fff)))
    append(UInt8(try steps((parameters["rolling_resistance"] ?? 0.004) * 10_000, in: 0...0xff)))
    append(UInt8(try steps((parameters["wind_resistance_kg_per_m"] ?? 0.51) * 100, in: 0...0xff)))
  }

  private mutating func append(_ byte: UInt8) {
    bytes[length] = byte
    length += 1
  }

  private mutating func append(_ number: UInt16) {
    append(UInt8(truncatingIfNeeded: number))
    append(UInt8(number >> 8))
  }

  private mutating func append(_ number: Int16) {
    append(UInt16(bitPattern: number))
  }

  func write(into batch: inout Batch) {
    batch.write(
      bytes.span.extracting(0..<length), to: FitnessMachinePlugin.UUID.service, FitnessMachinePlugin.UUID.controlPoint)
  }
}

/// Rounds a value to the steps of its field.
private func steps(_ value: Double, in range: ClosedRange<Int>) throws(CommandError) -> Int {
  guard value.isFinite, let steps = Int(exactly: value.rounded()), range.contains(steps) else { throw .badValue }
  return steps
}

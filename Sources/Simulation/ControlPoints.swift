// The control points of the simulated sensors: they execute requests and return responses.

import Radio
import Vocabulary

extension Endpoint {
  static let heartRateControl = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a39))
  static let wheelControl = Endpoint(service: BluetoothUUID(0x1816), characteristic: BluetoothUUID(0x2a55))
  static let wheelFeature = Endpoint(service: BluetoothUUID(0x1816), characteristic: BluetoothUUID(0x2a5c))
  static let powerControl = Endpoint(service: BluetoothUUID(0x1818), characteristic: BluetoothUUID(0x2a66))
  static let powerFeature = Endpoint(service: BluetoothUUID(0x1818), characteristic: BluetoothUUID(0x2a65))
}

private enum Outcome {
  static let success: UInt8 = 1
  static let unsupported: UInt8 = 2
  static let invalidParameter: UInt8 = 3
}

private func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
  bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
}

struct PedalControlPoint {
  /// In halves of a millimetre.
  private var crankLength: [UInt8] = [0x59, 0x01]

  private static let offset: [UInt8] = [0xf4, 0xff]
  private static let samplingRate: UInt8 = 50
  /// 10 March 2026, 12:00.
  private static let calibrated: [UInt8] = [0xea, 0x07, 3, 10, 12, 0, 0]
  /// Balance, crank revolutions, offset compensation, crank length, calibration date and enhanced
  /// offset compensation.
  static let feature: [UInt8] = [0x09, 0x12, 0x0c, 0x00]

  mutating func response(to request: [UInt8]) -> [UInt8] {
    guard let opcode = request.first else { return [] }
    let (outcome, parameter): (UInt8, [UInt8])
    switch opcode {
    case 0x04 where request.count == 3:
      crankLength = Array(request[1...])
      (outcome, parameter) = (Outcome.success, [])
    case 0x04: (outcome, parameter) = (Outcome.invalidParameter, [])
    case 0x05: (outcome, parameter) = (Outcome.success, crankLength)
    case 0x0c, 0x10: (outcome, parameter) = (Outcome.success, Self.offset)
    case 0x0e: (outcome, parameter) = (Outcome.success, [Self.samplingRate])
    case 0x0f: (outcome, parameter) = (Outcome.success, Self.calibrated)
    default: (outcome, parameter) = (Outcome.unsupported, [])
    }
    return [0x20, opcode, outcome] + parameter
  }
}

/// The SC Control Point of the wheel, with a total that can be set.
struct WheelControlPoint {
  /// The total that was set, and the revolutions of the wheel at that time.
  private var base = (total: 0, turns: 0)

  static let feature: [UInt8] = [0x01, 0x00]

  func total(atTurn turn: Int) -> Int { base.total + turn - base.turns }

  mutating func response(to request: [UInt8], atTurn turn: Int) -> [UInt8] {
    guard let opcode = request.first else { return [] }
    guard opcode == 0x01 else { return [0x10, opcode, Outcome.unsupported] }
    guard request.count == 5 else { return [0x10, opcode, Outcome.invalidParameter] }
    base = (littleEndian(request[1...]), turn)
    return [0x10, opcode, Outcome.success]
  }
}

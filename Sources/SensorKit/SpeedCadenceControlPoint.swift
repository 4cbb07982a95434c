// SC Control Point, 0x2A55. It is the same in the cycling and running services, except for what the
// cumulative value counts.

public import Time
public import Vocabulary

public struct SpeedCadenceControlPoint: Sendable {
  public static let characteristic = BluetoothUUID(0x2a55)
  private static let response: UInt8 = 0x10

  public enum Opcode {
    public static let setCumulative: UInt8 = 1
    public static let startCalibration: UInt8 = 2
    public static let setLocation: UInt8 = 3
    public static let listLocations: UInt8 = 4
  }

  private enum Name {
    static let setCumulative = "set_cumulative"
    static let startCalibration = "start_calibration"
  }

  /// `fact`: the feature that shows whether the sensor has this counter.
  public static func setCumulative(
    _ range: ClosedRange<Double>, _ unit: String? = nil, meaning: String? = nil, requiring fact: Field
  ) -> CommandInfo {
    CommandInfo(Name.setCumulative, "Set the counter of wheel revolutions", value: range, unit, meaning: meaning)
      .requiring(fact)
  }

  public static let startCalibration = CommandInfo(
    Name.startCalibration, "Let it calibrate itself", preparation: "Its maker says how to run meanwhile."
  ).requiring(Field("calibration"))

  private let service: BluetoothUUID
  /// Counts per unit of the user's value: 1 for revolutions, 10 for metres.
  private let countsPerUnit: Double
  private var pending = PendingProcedure()

  public init(of service: BluetoothUUID, countsPerUnit: Double) {
    self.service = service
    self.countsPerUnit = countsPerUnit
  }

  public var deadline: MonotonicTime? { pending.deadline }

  /// Stops waiting for a response.
  public mutating func endProcedure() {
    pending.end()
  }

  public mutating func tick(into batch: inout Batch) {
    pending.expire(into: &batch)
  }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    var bytes: InlineArray<5, UInt8> = [0, 0, 0, 0, 0]
    var length = 1
    switch command.name {
    case Name.setCumulative:
      let count = try command.steps(countsPerUnit, in: 0...UInt32.max)
      bytes[0] = Opcode.setCumulative
      for index in 1...4 { bytes[index] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(index - 1))) }
      length = 5
    case Name.startCalibration: bytes[0] = Opcode.startCalibration
    case SensorLocation.setting.name:
      bytes[0] = Opcode.setLocation
      bytes[1] = UInt8(try command.steps(1, in: 0...UInt32(SensorLocation.count - 1)))
      length = 2
    case SensorLocation.listing.name: bytes[0] = Opcode.listLocations
    default: throw .notSupported
    }
    guard !pending.isBusy else { throw .busy }
    batch.write(bytes.span.extracting(0..<length), to: service, Self.characteristic)
    pending.begin(bytes[0], at: time)
  }

  /// Decodes a response. Returns the opcode of the procedure if it succeeded.
  public mutating func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) -> UInt8? {
    var cursor = ByteCursor()
    let response = try ControlPointResponse(value, mark: Self.response, &cursor)
    response.begin(in: &batch)
    if response.opcode == Opcode.listLocations, response.result == .success {
      try SensorLocation.decodeList(&cursor, value, into: &batch)
    }
    try cursor.finish(value)
    if batch.overflowed { throw DecodeError(.outOfRange, at: value.count) }
    pending.end(response.opcode)
    return response.result == .success ? response.opcode : nil
  }
}

/// A plugin whose only procedures are those of this control point.
public protocol SpeedCadenceSensor: SensorPlugin {
  var controlPoint: SpeedCadenceControlPoint { get set }
}

extension SpeedCadenceSensor {
  public typealias ControlPoint = SpeedCadenceControlPoint

  public var deadline: MonotonicTime? { controlPoint.deadline }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard Self.info.commands.contains(command.name) else { throw .notSupported }
    try controlPoint.command(command, at: time, into: &batch)
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    controlPoint.tick(into: &batch)
  }

  public mutating func disconnected() {
    controlPoint.endProcedure()
  }

  public mutating func commandFailed() {
    controlPoint.endProcedure()
  }
}

// Polar's measurement service (PMD): electrocardiogram and acceleration of a Polar strap. Streams
// are started by a sequence of requests: list the features, then request the settings of each
// stream and start it.
//
// Polar's other streams, and frame types that its documents do not describe, are not decoded. The
// layouts come from the documents and tests of the Polar SDK; there was no radio capture. Raw
// acceleration of 24 bits is decoded too, although no strap is known to send it.
//
// After a reset the strap's clock may be wrong. `timestamp_ns` (since 2000, of the last value) is
// only good for spacing.

public import SensorKit

public struct PolarMeasurementPlugin: SensorPlugin {
  static let service = BluetoothUUID(maker: "fb005c80-02e7-f387-1cad-8acd2d8df0c8")
  static let control = BluetoothUUID(maker: "fb005c81-02e7-f387-1cad-8acd2d8df0c8")
  static let data = BluetoothUUID(maker: "fb005c82-02e7-f387-1cad-8acd2d8df0c8")

  public static let info = SensorInfo(
    id: "polar_measurement", title: "Polar ECG and acceleration", services: [service],
    characteristics: [
      // The order matters: responses need their indications to be on.
      .subscribed(control, of: service, required: false),
      .subscribed(data, of: service, required: false),
      .read(control, of: service),
    ],
    kinds: [.ecg, .acceleration], silence: Silence(staleAfter: .seconds(5), reconnectAfter: nil),
    commands: [
      CommandInfo("start_ecg", "Start sending the electrocardiogram, which costs battery"),
      CommandInfo("stop_ecg", "Stop sending the electrocardiogram"),
      CommandInfo("start_acceleration", "Start sending the acceleration, which costs battery"),
      CommandInfo("stop_acceleration", "Stop sending the acceleration"),
    ], writtenTo: control)

  private var dialogue = PolarDialogue()

  public init(settings: SensorSettings) {}

  public mutating func disconnected() {
    dialogue = PolarDialogue()
  }

  public mutating func commandFailed() {
    dialogue.commandFailed()
  }

  /// Without a stream, silence is normal.
  public var silence: Silence { dialogue.isStreaming ? Self.info.silence : .unlimited }

  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    if source.characteristic == Self.data {
      try PolarFrame.decode(value, factor: dialogue.accelerationFactor, into: &batch)
    } else {
      try decodeControl(value, at: time, into: &batch)
    }
  }

  private mutating func decodeControl(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch value[0] {
    case PolarFeatures.header:
      let features = try PolarFeatures(value)
      features.say(into: &batch)
      dialogue.begin(with: features, at: time, into: &batch)
    case PolarAnswer.header:
      let answer = try PolarAnswer(value, into: &batch)
      dialogue.handle(answer, at: time, into: &batch)
    default: throw DecodeError(.unknownFrame, at: 0)
    }
  }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard dialogue.isIdle else { throw .busy }
    switch command.name {
    case "start_ecg": dialogue.start(.ecg, at: time, into: &batch)
    case "stop_ecg": dialogue.stop(.ecg, at: time, into: &batch)
    case "start_acceleration": dialogue.start(.acceleration, at: time, into: &batch)
    case "stop_acceleration": dialogue.stop(.acceleration, at: time, into: &batch)
    default: throw .notSupported
    }
  }

  public var deadline: MonotonicTime? { dialogue.deadline }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    dialogue.tick(at: time, into: &batch)
  }
}

extension SampleKind {
  public static let ecg = SampleKind("ecg")
  public static let acceleration = SampleKind("acceleration")
}

/// The streams that are decoded, numbered as by Polar.
enum PolarStream: UInt8 {
  case ecg = 0
  case acceleration = 2
}

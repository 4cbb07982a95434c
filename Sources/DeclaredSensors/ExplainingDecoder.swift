// A declared sensor that counts its packets, and finds the line of its file that refuses one.

public import SensorKit

/// What happened to packets. The decoders of a file share it. Unchecked, because one thread runs them
/// all and reads this.
public final class PacketTally: @unchecked Sendable {
  public fileprivate(set) var read = 0
  public fileprivate(set) var refused = 0
  /// The line of the last refusal. Nil if the file has no packet from there.
  public fileprivate(set) var line: Int?

  public init() {}
}

public struct ExplainingDecoder: SensorDecoder {
  private var decoder: DeclaredDecoder
  private let tally: PacketTally

  public init(_ program: SensorProgram, settings: SensorSettings, countingIn tally: PacketTally) {
    decoder = DeclaredDecoder(program, settings: settings)
    self.tally = tally
  }

  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    do throws(DecodeError) {
      try decoder.decode(value, from: source, at: time, into: &batch)
      tally.read += 1
    } catch {
      tally.refused += 1
      tally.line = decoder.line(ofRefused: value, from: source)
      throw error
    }
  }

  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    decoder.connected(at: time, into: &batch)
  }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    try decoder.command(command, at: time, into: &batch)
  }

  public mutating func commandFailed() { decoder.commandFailed() }
  public mutating func settingsChanged(_ settings: SensorSettings) { decoder.settingsChanged(settings) }
  public mutating func disconnecting(into batch: inout Batch) { decoder.disconnecting(into: &batch) }
  public mutating func disconnected() { decoder.disconnected() }
  public var deadline: MonotonicTime? { decoder.deadline }
  public var awaitsAnswer: Bool { decoder.awaitsAnswer }
  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) { decoder.tick(at: time, into: &batch) }
  public var silence: Silence { decoder.silence }
}

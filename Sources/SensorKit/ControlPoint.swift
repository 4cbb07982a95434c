// The common part of the control points of the cycling, power and running services. There is one
// procedure at a time. It starts with a write, and the response is an indication that repeats the
// opcode, if one arrives at all.

public import Time
public import Vocabulary

public enum ControlPointResult: UInt8, Sendable {
  case success = 1
  case opcodeNotSupported, invalidParameter, operationFailed

  public var word: Word {
    switch self {
    case .success: "success"
    case .opcodeNotSupported: "opcode_not_supported"
    case .invalidParameter: "invalid_parameter"
    case .operationFailed: "operation_failed"
    }
  }
}

/// The beginning of every response.
public struct ControlPointResponse: Sendable {
  public let opcode: UInt8
  public let result: ControlPointResult

  /// `mark` is the opcode of a response: 0x10 or 0x20, depending on the service.
  public init(_ value: Span<UInt8>, mark: UInt8, _ cursor: inout ByteCursor) throws(DecodeError) {
    guard try cursor.uint8(value) == mark else { throw DecodeError(.unknownFrame, at: 0) }
    opcode = try cursor.uint8(value)
    guard let result = ControlPointResult(rawValue: try cursor.uint8(value)) else {
      throw DecodeError(.reservedValue, at: 2)
    }
    self.result = result
  }

  public func begin(in batch: inout Batch) {
    batch.answer()
    batch.set(.requestOpcode, opcode)
    batch.set(.result, result.word)
  }
}

/// The procedure that waits for its response.
public struct PendingProcedure: Sendable {
  /// The time limit for a response, equal to that of the attribute protocol.
  private static let timeout = Duration.seconds(30)

  private var opcode: UInt8?
  public private(set) var deadline: MonotonicTime?

  public init() {}

  public var isBusy: Bool { opcode != nil }

  public mutating func begin(_ opcode: UInt8, at time: MonotonicTime) {
    self.opcode = opcode
    deadline = time + Self.timeout
  }

  public mutating func end() {
    opcode = nil
    deadline = nil
  }

  /// Handles a response. A late one of an earlier procedure changes nothing.
  public mutating func end(_ opcode: UInt8) {
    if opcode == self.opcode { end() }
  }

  /// Reports that no response arrived.
  public mutating func expire(into batch: inout Batch) {
    guard let opcode else { return }
    batch.answer()
    batch.set(.requestOpcode, opcode)
    batch.set(.result, "timeout")
    end()
  }
}

extension Command {
  /// The value in steps of 1/`scale`, as an integer in `range`.
  public func steps(_ scale: Double, in range: ClosedRange<UInt32>) throws(CommandError) -> UInt32 {
    guard let value, let steps = UInt32(exactly: (value * scale).rounded()), range.contains(steps),
      abs(value * scale - Double(steps)) < 1e-6
    else { throw .badValue }
    return steps
  }
}

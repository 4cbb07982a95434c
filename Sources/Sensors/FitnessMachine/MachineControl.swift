// Controls a machine: one request at a time, and first the request for control. If control is
// missing, a command waits for it. Each command gets one answer: its own response, or the refusal
// of control.

import SensorKit

struct MachineControl {
  private var hasControl = false
  private var pending = PendingProcedure()
  /// The request that waits for its response, and one that waits for control.
  private var current: MachineRequest?
  private var queued: MachineRequest?

  var isBusy: Bool { pending.isBusy }
  var deadline: MonotonicTime? { pending.deadline }

  mutating func send(_ request: MachineRequest, at time: MonotonicTime, into batch: inout Batch) {
    if hasControl || request.opcode == MachineRequest.requestControl.opcode {
      write(request, at: time, into: &batch)
    } else {
      queued = request
      write(MachineRequest.requestControl, at: time, into: &batch)
    }
  }

  /// Another program took control, or the machine was reset.
  mutating func lose() {
    hasControl = false
  }

  mutating func commandFailed() {
    end()
    queued = nil
  }

  /// Continues after a response. Returns false for a response to a request that was not a user's
  /// command.
  mutating func handle(_ answer: MachineAnswer, at time: MonotonicTime, into batch: inout Batch) -> Bool {
    note(answer)
    guard let current, current.opcode == answer.opcode else { return true }
    end()
    guard let queued else { return true }
    self.queued = nil
    guard answer.isSuccess else { return true }
    write(queued, at: time, into: &batch)
    return false
  }

  mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    guard let deadline, deadline <= time else { return }
    pending.expire(into: &batch)
    current = nil
    queued = nil
  }

  private mutating func note(_ answer: MachineAnswer) {
    switch answer.opcode {
    case 0x00: hasControl = answer.isSuccess
    case 0x01 where answer.isSuccess: hasControl = false
    default: if answer.isNotPermitted { hasControl = false }
    }
  }

  private mutating func write(_ request: MachineRequest, at time: MonotonicTime, into batch: inout Batch) {
    request.write(into: &batch)
    current = request
    pending.begin(request.opcode, at: time)
  }

  private mutating func end() {
    current = nil
    pending.end()
  }
}

/// A response of the control point: FTMS 1.0, section 4.16.2.22.
struct MachineAnswer {
  private static let mark: UInt8 = 0x80
  private static let spinDown: UInt8 = 0x13
  private static let words: InlineArray<5, Word> = [
    "success", "opcode_not_supported", "invalid_parameter", "operation_failed", "control_not_permitted",
  ]

  let opcode: UInt8
  private let result: UInt8
  /// The range of speeds from which the rider starts to roll out in a spin-down.
  private var spinDownSpeeds: (low: UInt16, high: UInt16)?

  var isSuccess: Bool { result == 1 }
  var isNotPermitted: Bool { result == 5 }

  init(_ value: Span<UInt8>) throws(DecodeError) {
    var cursor = ByteCursor()
    guard try cursor.uint8(value) == Self.mark else { throw DecodeError(.unknownFrame, at: 0) }
    opcode = try cursor.uint8(value)
    result = try cursor.uint8(value)
    guard 1...Self.words.count ~= Int(result) else { throw DecodeError(.reservedValue, at: 2) }
    // Only the start of a spin-down returns them; ignoring one has the same opcode.
    if opcode == Self.spinDown, result == 1, cursor.remaining(value) > 0 {
      spinDownSpeeds = (try cursor.uint16(value), try cursor.uint16(value))
    }
    try cursor.finish(value)
  }

  func say(into batch: inout Batch) {
    batch.answer()
    batch.set(.requestOpcode, opcode)
    batch.set(.result, Self.words[Int(result) - 1])
    if let spinDownSpeeds {
      batch.set(Field("spin_down_low_mps"), Double(spinDownSpeeds.low) / 360)
      batch.set(Field("spin_down_high_mps"), Double(spinDownSpeeds.high) / 360)
    }
  }
}

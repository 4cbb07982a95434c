// One step of a packet's program, which `PacketLinker` makes: an operation with everything that it
// needs, so that running it looks up nothing else.

internal import SensorKit

struct Instruction: Sendable {
  var operation: Operation
  /// Of a number that is read.
  var lowest = -Double.infinity
  var highest = Double.infinity
  /// The field to publish, or the name of the record that begins.
  var field = Field("")

  init(_ operation: Operation) { self.operation = operation }

  init(_ name: Operation.Name, into target: UInt8 = 0, a: UInt8 = 0, link: Int = 0) {
    operation = Operation(name: name, target: target, a: a)
    operation.link = UInt16(link)
  }
}

/// The forms of records.
enum RecordCode {
  static let sample: UInt8 = 0
  static let event: UInt8 = 1
  static let answer: UInt8 = 2
  static let fact: UInt8 = 3
}

// Where the instructions of a packet are, and what it has besides. Small, because every packet needs
// it.

internal import SensorKit

struct PacketCode: Sendable {
  /// The first instruction.
  var start: UInt16 = 0
  /// The registers of its fields, unless every field is read in each packet.
  var firstRegister: UInt16 = 0
  var endOfRegisters: UInt16 = 0
  var traits = Traits()

  var registers: Range<Int> { Int(firstRegister)..<max(Int(firstRegister), Int(endOfRegisters)) }

  struct Traits: OptionSet, Sendable {
    let rawValue: UInt16
    /// A field is compared with the address of the sender.
    static let comparesSender = Traits(rawValue: 1)
    /// A field decides which others there are.
    static let hasKey = Traits(rawValue: 2)
    /// Some fields are not in each packet.
    static let forgets = Traits(rawValue: 4)
    static let hasAnswer = Traits(rawValue: 8)
    /// Something follows from it besides its records.
    static let commits = Traits(rawValue: 16)
    /// It may have more content than fits into a batch.
    static let mayOverflow = Traits(rawValue: 32)
    /// It is one number.
    static let isSingle = Traits(rawValue: 64)
    static let hasReadings = Traits(rawValue: 128)

    /// Something must be done before it is read.
    static let needsPreparation: Traits = [hasKey, forgets, hasReadings]
  }
}

/// A whole number at a fixed place that decides which fields a packet has.
struct PacketKey: Sendable {
  let form: NumberForm
  let offset: Int
  /// The instruction that reads it.
  let instruction: Int
}

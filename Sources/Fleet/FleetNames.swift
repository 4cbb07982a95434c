// Names of receivers and groups, which are levels of topics and accounts at the broker.

import Digests
import JSON

/// The name of a receiver or of a group: 1 to 32 of the letters a to z, digits and hyphens.
public struct FleetName: Hashable, Sendable, CustomStringConvertible {
  public static let mostLetters = 32
  public let text: String

  /// Nil if it is not a name.
  public init?(_ text: String) {
    guard 1...Self.mostLetters ~= text.utf8.count, text.utf8.allSatisfy(Self.isLetter) else { return nil }
    self.text = text
  }

  /// What the name of a receiver is made from, once, if its configuration gives none. It tells
  /// nothing about the id of the machine, which other programs use as a secret.
  public init(machineID: String) {
    let digest = SHA256(of: Array("cyclometer receiver \(machineID.filter { !$0.isWhitespace })".utf8))
    text = "rx-" + digest.hex.prefix(6)
  }

  public var description: String { text }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

/// A message of another program that is not used: what is wrong with it, where, and what to do.
public struct FleetProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

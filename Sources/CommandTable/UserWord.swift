// A word that the user supplies: an argument or the value of an option. Its kind decides what the
// parser accepts and what a shell completes.

public struct UserWord: Sendable, Equatable {
  /// How help names it: `SECONDS`, `SENSOR`.
  public let name: String
  public let kind: Kind

  public enum Kind: Sendable, Equatable {
    case text
    case file
    case verb
    case address
    case seconds
    case count
    /// How many times as fast.
    case factor
    /// `NAME=NUMBER`, or a number alone.
    case parameter
    case oneOf([String])
    /// A word that the program itself checks and completes.
    case known(ProgramWord)
  }

  @inlinable
  public init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Why `text` is not valid here; nil if it is.
  func complaint(about text: String) -> String? {
    // Swift decodes invalid UTF-8 as this character.
    if text.unicodeScalars.contains("\u{FFFD}") { return "'\(text)' is not valid UTF-8" }
    return switch kind {
    case .text: nil
    case .file, .verb: text.isEmpty ? "\(name) is empty" : nil
    case .known(let word): text.isEmpty && !word.mayBeEmpty ? "\(name) is empty" : nil
    case .address: isAddress(text) ? nil : "'\(text)' is not a Bluetooth address (example: A0:9E:1A:00:00:01)"
    // A billion seconds is thirty years; larger values would overflow clocks.
    case .seconds: (decimal(text) ?? .infinity) > 1e9 ? "'\(text)' is not a number of seconds" : nil
    case .count: count(text) == nil ? "'\(text)' is not a count (1, 2, 3, ...)" : nil
    case .factor: 0.001...1000 ~= (decimal(text) ?? 0) ? nil : "'\(text)' is not a number from 0.001 to 1000"
    case .parameter: Parameter(text) == nil ? "'\(text)' is neither a number nor NAME=NUMBER" : nil
    case .oneOf(let words): words.contains(text) ? nil : "'\(text)' is not one of \(words.joined(separator: ", "))"
    }
  }
}

/// A type of words that only the program knows, such as the names of its sensors.
public struct ProgramWord: Hashable, Sendable {
  public let name: String
  @usableFromInline let mayBeEmpty: Bool

  @inlinable
  public init(_ name: String, mayBeEmpty: Bool = false) {
    self.name = name
    self.mayBeEmpty = mayBeEmpty
  }
}

/// A numeric parameter of a command; its name is `value` if none is given.
public struct Parameter: Equatable, Sendable {
  public let name: String
  public let number: Double

  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts[parts.count - 1]
    guard let size = decimal(String(digits.hasPrefix("-") ? digits.dropFirst() : digits)), parts[0] != "" else {
      return nil
    }
    name = parts.count == 1 ? "value" : String(parts[0])
    number = digits.hasPrefix("-") ? -size : size
  }
}

/// A plain decimal number, not negative. Rejects what `Double` also accepts: exponents, hex, `nan`.
func decimal(_ text: String) -> Double? {
  guard text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), text.utf8.contains(where: isDigit) else {
    return nil
  }
  guard let number = Double(text.hasPrefix(".") ? "0" + text : text), number.isFinite else { return nil }
  return number
}

func count(_ text: String) -> Int? {
  guard text.utf8.allSatisfy(isDigit), let number = Int(text), number > 0 else { return nil }
  return number
}

func isAddress(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  guard bytes.count == 17 else { return false }
  return bytes.indices.allSatisfy { $0 % 3 == 2 ? bytes[$0] == UInt8(ascii: ":") : isHexDigit(bytes[$0]) }
}

private func isDigit(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  let lowered = byte | 0x20
  return isDigit(byte) || lowered >= UInt8(ascii: "a") && lowered <= UInt8(ascii: "f")
}

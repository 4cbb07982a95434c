// Divides JSON of any size into its parts, in pieces and in bounded memory. Texts are cut at 4 KiB.
// Several values can follow each other, as in files with one value per line.

import JSON

struct JSONScanner {
  enum Part: Equatable {
    case object, array
    /// Of an object or an array.
    case end
    case key(String)
    case text(String)
    case number(Double)
    /// true, false, null, and numbers that are too large.
    case other
  }

  private enum State {
    case value
    /// After `[`.
    case firstItem
    /// After `{`.
    case firstKey
    case key, colon, commaOrEnd
    case string, escape
    case code(digits: Int)
    case number, word
  }

  private static let mostDepth = 64
  private static let longestText = 4096

  private var state = State.value
  /// true for an object.
  private var open: [Bool] = []
  private var isKey = false
  private var text: [UInt8] = []
  private var code: UInt32 = 0
  private var highSurrogate: UInt32 = 0
  private(set) var line = 1
  private(set) var cutTexts = 0
  private var isCut = false
  private(set) var isEmpty = true

  /// nil after an error: then nothing further can be read.
  private(set) var problem: String?

  /// Whether the file may end here.
  var isComplete: Bool { open.isEmpty && !isEmpty && isAtValue }

  private var isAtValue: Bool { if case .value = state { true } else { false } }

  mutating func feed(_ bytes: Span<UInt8>, _ part: (Part) -> Void) {
    for index in bytes.indices {
      guard problem == nil else { return }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { line += 1 }
      read(byte, part)
    }
  }

  mutating func finish(_ part: (Part) -> Void) {
    guard problem == nil else { return }
    // A number at the end of a file has no other end.
    read(UInt8(ascii: " "), part)
    if isEmpty {
      problem = "the file is empty"
    } else if problem == nil, !isComplete {
      problem = "the file is truncated"
    }
  }

  private mutating func fail() {
    problem = "line \(line) is not valid JSON"
  }
}

// MARK: Structure

extension JSONScanner {
  private mutating func read(_ byte: UInt8, _ part: (Part) -> Void) {
    switch state {
    case .string, .escape, .code: return readString(byte, part)
    case .number, .word:
      if isPartOfWord(byte) { return append(byte) }
      endWord(part)
      // The byte after the word is not part of it.
      guard problem == nil else { return }
    case .value, .firstItem, .firstKey, .key, .colon, .commaOrEnd: break
    }
    guard !isSpace(byte) else { return }
    isEmpty = false
    switch (state, byte) {
    case (.colon, UInt8(ascii: ":")): state = .value
    case (.commaOrEnd, UInt8(ascii: ",")): state = open.last == true ? .key : .value
    case (.commaOrEnd, UInt8(ascii: "}")), (.firstKey, UInt8(ascii: "}")): end(isObject: true, part)
    case (.commaOrEnd, UInt8(ascii: "]")), (.firstItem, UInt8(ascii: "]")): end(isObject: false, part)
    case (.key, UInt8(ascii: "\"")), (.firstKey, UInt8(ascii: "\"")): beginString(isKey: true)
    case (.value, _), (.firstItem, _): beginValue(byte, part)
    default: fail()
    }
  }

  private mutating func beginValue(_ byte: UInt8, _ part: (Part) -> Void) {
    switch byte {
    case UInt8(ascii: "{"): begin(isObject: true, part)
    case UInt8(ascii: "["): begin(isObject: false, part)
    case UInt8(ascii: "\""): beginString(isKey: false)
    default:
      guard isPartOfWord(byte) else { return fail() }
      text.removeAll(keepingCapacity: true)
      text.append(byte)
      state = byte == UInt8(ascii: "-") || decimalDigit(byte) != nil ? .number : .word
    }
  }

  private mutating func begin(isObject: Bool, _ part: (Part) -> Void) {
    guard open.count < Self.mostDepth else {
      problem = "values are nested more than \(Self.mostDepth) deep at line \(line)"
      return
    }
    open.append(isObject)
    state = isObject ? .firstKey : .firstItem
    part(isObject ? .object : .array)
  }

  private mutating func end(isObject: Bool, _ part: (Part) -> Void) {
    guard open.popLast() == isObject else { return fail() }
    part(.end)
    endValue()
  }

  private mutating func endValue() {
    state = open.isEmpty ? .value : .commaOrEnd
  }
}

// MARK: Words, numbers and texts

extension JSONScanner {
  private func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private mutating func endWord(_ part: (Part) -> Void) {
    let word = String(decoding: text, as: UTF8.self)
    if case .number = state {
      // Not finite if the number is too large.
      guard text.allSatisfy({ decimalDigit($0) != nil || "+-.eE".utf8.contains($0) }) else { return fail() }
      part(Double(decimal: word).map(Part.number) ?? .other)
    } else {
      // NaN and Infinity are not JSON, but programs write them.
      guard ["true", "false", "null", "NaN", "Infinity", "nan"].contains(word) else { return fail() }
      part(.other)
    }
    endValue()
  }

  private mutating func beginString(isKey: Bool) {
    self.isKey = isKey
    isCut = false
    highSurrogate = 0
    text.removeAll(keepingCapacity: true)
    state = .string
  }

  private mutating func append(_ byte: UInt8) {
    guard text.count < Self.longestText else {
      if !isCut { cutTexts += 1 }
      isCut = true
      return
    }
    text.append(byte)
  }

  private mutating func readString(_ byte: UInt8, _ part: (Part) -> Void) {
    switch state {
    case .escape:
      state = .string
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(byte)
      case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        append(UInt8(ascii: " "))
      case UInt8(ascii: "u"):
        code = 0
        state = .code(digits: 0)
      default: fail()
      }
    case .code(let digits):
      guard let digit = hexDigit(byte) else { return fail() }
      code = code << 4 | UInt32(digit)
      state = digits < 3 ? .code(digits: digits + 1) : .string
      if digits == 3 { appendCode() }
    default:
      switch byte {
      case UInt8(ascii: "\""):
        state = isKey ? .colon : state
        let string = String(decoding: text, as: UTF8.self)
        part(isKey ? .key(string) : .text(string))
        if !isKey { endValue() }
      case UInt8(ascii: "\\"): state = .escape
      default: append(byte)
      }
    }
  }

  private mutating func appendCode() {
    if 0xd800..<0xdc00 ~= code {
      highSurrogate = code
      return
    }
    if 0xdc00..<0xe000 ~= code, highSurrogate != 0 { code = 0x10000 + (highSurrogate - 0xd800) << 10 + (code - 0xdc00) }
    highSurrogate = 0
    let letters = Unicode.Scalar(code).flatMap { UTF8.encode($0) } ?? UTF8.encodedReplacementCharacter
    for letter in letters { append(letter) }
  }
}

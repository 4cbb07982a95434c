// Finds the members of a daemon's record in its line, with the project's reader of JSON. Records
// are passed on as the text they came as: members are left out or added, and the rest is copied.
// After warm-up, a record costs no allocation.

import JSON
public import Time
import Wire

public struct RecordReader {
  public enum RecordClass: Sendable { case sample, state, event, sensor, other }

  /// Members that may be left out.
  struct Omissions: OptionSet {
    let rawValue: UInt8
    static let recordClass = Omissions(rawValue: 1)
    static let age = Omissions(rawValue: 2)
    static let time = Omissions(rawValue: 4)
    /// What a wall adds to the records of receivers.
    static let origin = Omissions(rawValue: 8)
  }

  private struct Member {
    /// From the quote of its name to the end of its value.
    var place: Range<Int>
    var omission: Omissions
  }

  private var json = JSONReader()
  private var members: [Member] = []

  public private(set) var recordClass = RecordClass.other
  /// Where the id of the sensor, the kind, and the name of the event are in the line; empty if
  /// missing.
  private(set) var sensor = 0..<0
  private(set) var kind = 0..<0
  private(set) var event = 0..<0
  private(set) var sequence = 0
  public private(set) var t: MonotonicTime?
  public private(set) var time: WallTime?
  private(set) var hasSignalStrength = false
  /// Of the daemon, in a record that a receiver has published; empty if missing.
  private(set) var instance = 0..<0

  public init() {}

  /// Returns false for a line that is not a record, or a sample without a sensor, kind, number or
  /// time.
  public mutating func read(_ line: Span<UInt8>) -> Bool {
    clear()
    guard (try? readMembers(line)) != nil else { return false }
    switch recordClass {
    case .sample: return !sensor.isEmpty && !kind.isEmpty && sequence > 0 && t != nil
    case .event: return !event.isEmpty
    case .state, .sensor, .other: return true
    }
  }

  private mutating func clear() {
    members.removeAll(keepingCapacity: true)
    recordClass = .other
    (sensor, kind, event, instance) = (0..<0, 0..<0, 0..<0, 0..<0)
    (sequence, t, time, hasSignalStrength) = (0, nil, nil, false)
  }

  private mutating func readMembers(_ line: Span<UInt8>) throws(JSONError) {
    json.restart()
    guard try json.kind(line) == .object else { throw JSONError(.unexpectedByte, at: json.offset) }
    try json.enter(line)
    var end = json.offset
    while try json.nextMember(line) {
      let start = line.firstQuote(from: end)
      let omission = try readValue(line)
      end = json.offset
      members.append(Member(place: start..<end, omission: omission))
    }
    end = json.offset
    while end < line.count, isSpace(line[end]) { end += 1 }
    guard end == line.count else { throw JSONError(.trailingBytes, at: end) }
  }

  /// Reads the value of the member whose name was read last.
  private mutating func readValue(_ line: Span<UInt8>) throws(JSONError) -> Omissions {
    switch MemberName(json.scratch.span) {
    case .recordClass:
      let place = try readText(line)
      recordClass = RecordClass(line.extracting(place))
      return .recordClass
    case .sensor: sensor = try readText(line)
    case .kind: kind = try readText(line)
    case .event: event = try readText(line)
    case .sequence: sequence = Int(exactly: try readNumber(line) ?? 0) ?? 0
    case .t: t = try readNumber(line).flatMap { (0..<4e9).contains($0) ? MonotonicTime(seconds: $0) : nil }
    case .time:
      let place = try readText(line)
      time = WallTime(text: line.extracting(place))
      return .time
    case .age:
      try json.skipValue(line)
      return .age
    case .instance: instance = try readText(line)
    case .origin:
      try json.skipValue(line)
      return .origin
    case .signalStrength:
      hasSignalStrength = true
      try json.skipValue(line)
    case .other: try json.skipValue(line)
    }
    return []
  }

  /// Where a string is, without its quotes; empty for another value, and for a string with escapes,
  /// which no name has.
  private mutating func readText(_ line: Span<UInt8>) throws(JSONError) -> Range<Int> {
    let start = json.offset
    guard try json.kind(line) == .string else {
      try json.skipValue(line)
      return 0..<0
    }
    try json.readString(line)
    let place = start + 1..<json.offset - 1
    return place.count == json.scratch.count ? place : 0..<0
  }

  private mutating func readNumber(_ line: Span<UInt8>) throws(JSONError) -> Double? {
    guard try json.kind(line) == .number else {
      try json.skipValue(line)
      return nil
    }
    return try json.readNumber(line)
  }
}

private enum MemberName {
  case recordClass, sensor, kind, event, sequence, t, time, age, signalStrength, instance, origin, other

  private static let all: [(StaticString, MemberName)] = [
    ("class", .recordClass), ("sensor", .sensor), ("kind", .kind), ("event", .event), ("seq", .sequence), ("t", .t),
    ("time", .time), ("age_ms", .age), ("rssi_dbm", .signalStrength),
    ("instance", .instance), ("group", .origin), ("receiver", .origin),
  ]

  init(_ name: Span<UInt8>) {
    self = .other
    for (text, known) in Self.all where name.isText(text) { self = known }
  }
}

extension RecordReader.RecordClass {
  private static let all: [(StaticString, RecordReader.RecordClass)] = [
    ("sample", .sample), ("state", .state), ("event", .event), ("sensor", .sensor),
  ]

  fileprivate init(_ name: Span<UInt8>) {
    self = .other
    for (text, known) in Self.all where name.isText(text) { self = known }
  }
}

// MARK: Writing

extension RecordReader {
  /// Appends the record that was read last, without some members.
  func append(_ line: Span<UInt8>, without omitted: Omissions, to bytes: inout [UInt8]) {
    beginCopy(line, without: omitted, in: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Likewise, with the daemon's instance, and with how strong the signal was if the record does
  /// not say that.
  func append(
    _ line: Span<UInt8>, without omitted: Omissions, instance: [UInt8], signalStrength: Int?, to bytes: inout [UInt8]
  ) {
    beginCopy(line, without: omitted, in: &bytes)
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: #""instance":""#.utf8)
    bytes.append(contentsOf: instance)
    bytes.append(UInt8(ascii: "\""))
    if let signalStrength, !hasSignalStrength {
      bytes.append(contentsOf: #","rssi_dbm":"#.utf8)
      if signalStrength < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.appendPadded(UInt64(signalStrength.magnitude), width: 1)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func beginCopy(_ line: Span<UInt8>, without omitted: Omissions, in bytes: inout [UInt8]) {
    var separator = UInt8(ascii: "{")
    for member in members where member.omission.isDisjoint(with: omitted) {
      bytes.append(separator)
      bytes.append(line.extracting(member.place))
      separator = UInt8(ascii: ",")
    }
    if separator == UInt8(ascii: "{") { bytes.append(separator) }
  }

  /// Appends the members of the record that was read last to an object that has members already.
  func appendMembers(_ line: Span<UInt8>, without omitted: Omissions, to bytes: inout [UInt8]) {
    for member in members where member.omission.isDisjoint(with: omitted) {
      bytes.append(UInt8(ascii: ","))
      bytes.append(line.extracting(member.place))
    }
  }
}

extension Span<UInt8> {
  fileprivate func firstQuote(from place: Int) -> Int {
    var place = place
    while self[place] != UInt8(ascii: "\"") { place += 1 }
    return place
  }
}

// The parameters of a request name themselves once: `visit` serves both reading, which checks them,
// and writing. Null means omitted, and unknown members are ignored. The first mistake is kept, and
// refuses the request.

package import JSON
package import Time
package import Wire

package struct RequestMembers {
  private enum Direction {
    case reading(JSONValue)
    case writing(JSONWriter)
  }

  private var direction: Direction
  package private(set) var refusal: Refusal?

  package init(reading params: JSONValue) {
    direction = .reading(params)
    if params != .null, params.members == nil { refusal = Refusal(.badRequest, "params is an object") }
  }

  package init(writing writer: JSONWriter) { direction = .writing(writer) }

  package var writer: JSONWriter? {
    if case .writing(let writer) = direction { writer } else { nil }
  }

  package var isReading: Bool { writer == nil }

  /// Refuses the request unless a rule among its members holds.
  package mutating func require(_ holds: Bool, _ message: @autoclosure () -> String) {
    if isReading, refusal == nil, !holds { refusal = Refusal(.badRequest, message()) }
  }

  // MARK: Optional members

  package mutating func text(_ name: String, _ value: inout String?, atMost longest: Int = RequestLimits.text) {
    member(name, &value, "a string of at most \(longest) bytes") { json in
      json.text.flatMap { $0.utf8.count <= longest ? $0 : nil }
    } write: {
      $0.string($1)
    }
  }

  package mutating func number(_ name: String, _ value: inout Double?, in range: ClosedRange<Double>) {
    member(name, &value, "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))") { json in
      json.number.flatMap { range.contains($0) ? $0 : nil }
    } write: {
      $0.number($1)
    }
  }

  package mutating func whole(_ name: String, _ value: inout Int?, in range: ClosedRange<Int>) {
    member(name, &value, "a whole number from \(range.lowerBound) to \(range.upperBound)") { json in
      json.integer.flatMap { range.contains($0) ? $0 : nil }
    } write: {
      $0.number($1)
    }
  }

  /// The id of an activity, a route or a segment.
  package mutating func id(_ name: String, _ value: inout Int?) {
    whole(name, &value, in: RequestLimits.ids)
  }

  package mutating func time(_ name: String, _ value: inout WallTime?) {
    member(name, &value, "a time such as 2026-05-03T07:30:00.000Z") { json in
      json.text.flatMap { text in WallTime(text).flatMap { $0.isInLogbook ? $0 : nil } }
    } write: {
      $1.write(into: &$0)
    }
  }

  package mutating func word<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ value: inout Choice?
  ) {
    member(name, &value, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")) { json in
      json.text.flatMap(Choice.init)
    } write: {
      $0.string($1.rawValue)
    }
  }

  /// A sport of the protocol or of a file, such as `cycling` or `swimming`.
  package mutating func sport(_ name: String, _ value: inout String?) {
    member(name, &value, "a sport such as cycling, running, swimming or strength_training") { json in
      json.text.flatMap { $0.isIdentifier ? $0 : nil }
    } write: {
      $0.string($1)
    }
  }

  package mutating func names(_ name: String, _ value: inout [String]?) {
    member(name, &value, "an array of 1 to \(RequestLimits.names) strings") { json in
      json.texts.flatMap { 1...RequestLimits.names ~= $0.count ? $0 : nil }
    } write: {
      $1.write(into: &$0)
    }
  }

  package mutating func numbers(
    _ name: String, _ value: inout [Double]?, in range: ClosedRange<Double>, count: ClosedRange<Int>
  ) {
    let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    member(name, &value, "an array of \(count.lowerBound) to \(count.upperBound) numbers from \(bounds)") { json in
      guard let items = json.items, count ~= items.count else { return nil }
      let numbers = items.compactMap { item in item.number.flatMap { range.contains($0) ? $0 : nil } }
      return numbers.count == items.count ? numbers : nil
    } write: {
      $0.beginArray()
      for number in $1 { $0.number(number) }
      $0.endArray()
    }
  }

  /// Omitted if it is false.
  package mutating func flag(_ name: String, _ value: inout Bool) {
    var given: Bool? = value ? true : nil
    member(name, &given, "true or false") {
      $0.bool
    } write: {
      $0.bool($1)
    }
    value = given ?? false
  }

  // MARK: Members that a request needs

  package mutating func needed(id name: String, _ value: inout Int) {
    var given: Int? = isReading ? nil : value
    id(name, &given)
    need(name, &value, given, "an id, a whole number from 1")
  }

  package mutating func needed(whole name: String, _ value: inout Int, in range: ClosedRange<Int>) {
    var given: Int? = isReading ? nil : value
    whole(name, &given, in: range)
    need(name, &value, given, "a whole number from \(range.lowerBound) to \(range.upperBound)")
  }

  package mutating func needed(number name: String, _ value: inout Double, in range: ClosedRange<Double>) {
    var given: Double? = isReading ? nil : value
    number(name, &given, in: range)
    need(name, &value, given, "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
  }

  package mutating func needed(
    text name: String, _ value: inout String, atMost longest: Int = RequestLimits.text
  ) {
    var given: String? = isReading ? nil : value
    text(name, &given, atMost: longest)
    need(name, &value, given.flatMap { $0.isEmpty ? nil : $0 }, "a string of 1 to \(longest) bytes")
  }

  package mutating func needed(sport name: String, _ value: inout String) {
    var given: String? = isReading ? nil : value
    sport(name, &given)
    need(name, &value, given, "a sport such as cycling, running, swimming or strength_training")
  }

  package mutating func needed(time name: String, _ value: inout WallTime) {
    var given: WallTime? = isReading ? nil : value
    time(name, &given)
    need(name, &value, given, "a time such as 2026-05-03T07:30:00.000Z")
  }

  package mutating func needed<Choice: CaseIterable & RawRepresentable<String>>(
    word name: String, _ value: inout Choice
  ) {
    var given: Choice? = isReading ? nil : value
    word(name, &given)
    need(name, &value, given, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
  }

  /// Two or more different ids.
  package mutating func needed(ids name: String, _ value: inout [Int], atMost most: Int) {
    let expected = "an array of 2 to \(most) different ids"
    var given: [Int]? = isReading ? nil : value
    member(name, &given, expected) { json in
      guard let items = json.items, 2...most ~= items.count else { return nil }
      let ids = items.compactMap { item in item.integer.flatMap { RequestLimits.ids.contains($0) ? $0 : nil } }
      return ids.count == items.count && Set(ids).count == ids.count ? ids : nil
    } write: {
      $1.write(into: &$0)
    }
    need(name, &value, given, expected)
  }

  package mutating func needed(bytes name: String, _ value: inout Piece) {
    let expected = "Base64 with padding, of at most \(Piece.mostBytes) bytes"
    var given: Piece? = isReading ? nil : value
    member(name, &given, expected) {
      Piece(wire: $0)
    } write: {
      $1.write(into: &$0)
    }
    need(name, &value, given, expected)
  }

  // MARK: Reading and writing

  private mutating func need<Value>(_ name: String, _ value: inout Value, _ given: Value?, _ expected: String) {
    if let given {
      value = given
    } else {
      require(false, "\(name) is missing: \(expected)")
    }
  }

  private mutating func member<Value>(
    _ name: String, _ value: inout Value?, _ expected: String, read: (JSONValue) -> Value?,
    write: (inout JSONWriter, Value) -> Void
  ) {
    switch direction {
    case .reading(let params):
      value = nil
      guard let json = params[name], json != .null else { return }
      value = read(json)
      if value == nil, refusal == nil { refusal = Refusal(.badRequest, "\(name) is \(expected)") }
    case .writing(var writer):
      guard let value else { return }
      // Otherwise two would hold the buffer, and writing would copy it.
      direction = .reading(.null)
      writer.member(name)
      write(&writer, value)
      direction = .writing(writer)
    }
  }

  /// Omits the fraction of a whole number.
  private static func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? String(bound) }
}

/// What the parameters of logbook.sock allow.
package enum RequestLimits {
  /// Ids are counted from 1. JSON numbers are exact up to here.
  package static let ids = 1...9_007_199_254_740_991
  /// Bytes of a name, a note or a search.
  package static let text = 4096
  package static let name = 256
  package static let names = 64
  /// Bytes of the name of a day, week, month or year.
  package static let period = 10
  /// Items of a page.
  package static let page = 1...200
  package static let defaultPage = 50
  package static let points = 2...4000
  package static let defaultPoints = 240
  package static let joined = 32
  /// Points of a line that a rider draws. With this many the request fits in a line of the socket.
  package static let drawnPoints = 2...1000
  /// Seconds in an activity: a year.
  package static let seconds = 0.0...31_622_400.0
  /// Bytes of an uploaded file, and of an uploaded backup.
  package static let upload = 64 << 20
  package static let backup = 2 << 30
}

extension WallTime {
  /// From 1970 to 2199: times that every format of files can hold.
  fileprivate var isInLogbook: Bool { 0..<7_258_118_400 ~= seconds }
}

extension String {
  /// Lower-case letters, digits and underscores.
  fileprivate var isIdentifier: Bool {
    1...32 ~= utf8.count
      && utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "_")
      }
  }
}

// What a line of the daemon is about. Most lines are samples. One is recognized by how the daemon
// begins it, without parsing; with its members in another order, it is parsed.

import JSON

struct LineSubject {
  enum Category {
    case sample, state, sensor, adapter, event
    /// A record of this server or of another service. No line of the daemon is one.
    case ours
  }

  let category: Category
  /// Where the id of the sensor, or the name of the adapter, is in the line. Empty for an event.
  let id: Range<Int>
  /// Where the kind of a sample is. Empty for other records.
  let kind: Range<Int>
  /// Whether the record says that a sensor was removed.
  let isRemoval: Bool

  /// Nil for records of other classes, which are not for pages, and for lines that are not records.
  init?(_ line: Span<UInt8>) {
    if let sample = LineSubject(sample: line) {
      self = sample
    } else if let other = LineSubject(parsing: line) {
      self = other
    } else {
      return nil
    }
  }

  private init(_ category: Category, id: Range<Int> = 0..<0, kind: Range<Int> = 0..<0, isRemoval: Bool = false) {
    self.category = category
    self.id = id
    self.kind = kind
    self.isRemoval = isRemoval
  }

  /// How the daemon writes a sample: `{"class":"sample","sensor":"strap","kind":"heart_rate",…`.
  private init?(sample line: Span<UInt8>) {
    var place = 0
    guard line.skip(#"{"class":"sample","sensor":""#, at: &place) else { return nil }
    let id = line.string(at: &place)
    guard line.skip(#","kind":""#, at: &place) else { return nil }
    let kind = line.string(at: &place)
    guard let id, let kind, place < line.count, line[place] == UInt8(ascii: ",") else { return nil }
    self.init(.sample, id: id, kind: kind)
  }

  private init?(parsing line: Span<UInt8>) {
    guard let members = try? JSONReader.members(line) else { return nil }
    func value(_ name: String) -> JSONValue? { members.last { $0.member.name == name }?.member.value }
    func text(_ name: String) -> Range<Int>? {
      guard let found = members.last(where: { $0.member.name == name }), found.member.value.text != nil else {
        return nil
      }
      return found.place.withoutQuotes
    }
    switch value("class")?.text {
    case "sample":
      guard let id = text("sensor"), let kind = text("kind") else { return nil }
      self.init(.sample, id: id, kind: kind)
    case "state":
      guard let id = text("sensor") else { return nil }
      self.init(.state, id: id)
    case "adapter":
      guard let id = text("adapter") else { return nil }
      self.init(.adapter, id: id)
    case "sensor":
      guard let object = members.last(where: { $0.member.name == "sensor" })?.place,
        let inner = try? JSONReader.members(line.extracting(object)),
        let id = inner.last(where: { $0.member.name == "id" }), id.member.value.text != nil
      else { return nil }
      let place = id.place.withoutQuotes
      self.init(
        .sensor, id: place.lowerBound + object.lowerBound..<place.upperBound + object.lowerBound,
        isRemoval: value("change")?.text == "removed")
    case "event":
      self.init(.event)
    default:
      return nil
    }
  }
}

extension Range<Int> {
  /// Of a string with its quotes.
  fileprivate var withoutQuotes: Range<Int> { lowerBound + 1..<upperBound - 1 }
}

extension Span<UInt8> {
  /// Whether a message can have it as data: a control character could end the message.
  var isOneRecord: Bool {
    guard count > 0, self[count - 1] == UInt8(ascii: "}") else { return false }
    // Without an early end, several bytes are compared at once.
    var least = UInt8.max
    for index in indices { least = min(least, self[index]) }
    return least >= 0x20
  }

  var copied: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(self)
    return bytes
  }
}

extension [UInt8] {
  func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

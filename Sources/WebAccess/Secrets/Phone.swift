// A paired screen: a phone, a tablet, the browser on the handlebar. People know it by its name.

import Digests
import HTTP
public import JSON
import Text
public import Time
import Wire

public struct Phone: Equatable, Sendable {
  /// Bytes of a token.
  static let tokenLength = 32

  /// Never used twice.
  public let id: Int
  public let name: String
  public let right: Right
  /// Nil if the clock was not set.
  public let created: WallTime?
  public private(set) var lastUse: WallTime?

  init(id: Int, _ invitation: Invitation, created: WallTime?) {
    self.id = id
    name = invitation.name
    right = invitation.right
    self.created = created
  }

  mutating func recordUse(at time: WallTime) { lastUse = time }
}

/// What a pairing code stands for.
public struct Invitation: Equatable, Sendable {
  public let name: String
  public let right: Right
  /// Whether phones of the same name are revoked when the code is used, as for a kiosk, which pairs
  /// at each start.
  public let replacesNamesakes: Bool

  /// Throws if the name cannot be one.
  public init(name: String, right: Right, replacesNamesakes: Bool = false) throws(AccessRefusal) {
    guard name.isName else { throw AccessRefusal(.badRequest, "name is \(String.nameRule)") }
    self.name = name
    self.right = right
    self.replacesNamesakes = replacesNamesakes
  }
}

// MARK: As JSON

extension Phone {
  /// For the list in the settings and for `cyclo`.
  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(into: &writer)
    writer.endObject()
  }

  func writeMembers(into writer: inout JSONWriter) {
    writer.member("id", id)
    writer.member("name", name)
    writer.member("right", right.rawValue)
    writer.member("created", created)
    writer.member("last_used", lastUse)
  }

  init?(_ json: JSONValue) {
    guard let id = json["id"]?.integer, id > 0, let name = json["name"]?.text, name.isName,
      let right = json["right"]?.text.flatMap(Right.init)
    else { return nil }
    self.id = id
    self.name = name
    self.right = right
    created = json["created"]?.text.flatMap(WallTime.init)
    lastUse = json["last_used"]?.text.flatMap(WallTime.init)
  }
}

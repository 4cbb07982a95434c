// What a document has to be. The server understands only as much of it as it has to bound, so that a
// newer page can store what this release does not know: its bytes are kept as they came.

import HTTP
import JSON

enum DocumentRules {
  static let mostWidgets = 48
  static let longestID = 64

  static func check(_ bytes: [UInt8], as name: DocumentName) throws(HTTPRefusal) {
    guard bytes.count <= WebDocumentStore.longest else {
      throw HTTPRefusal(.contentTooLarge, "a document has at most \(WebDocumentStore.longest) bytes")
    }
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue.parse(bytes)
    } catch {
      throw HTTPRefusal(.badRequest, "the document is not JSON: \(error)")
    }
    guard json.members != nil else { throw HTTPRefusal(.badRequest, "the document is not an object") }
    if case .layout = name { try check(layout: json) }
  }

  private static func check(layout json: JSONValue) throws(HTTPRefusal) {
    guard let version = json["version"]?.integer, version > 0 else {
      throw HTTPRefusal(.badRequest, "version is a number from 1 on")
    }
    guard let widgets = json["widgets"]?.items, widgets.count <= mostWidgets else {
      throw HTTPRefusal(.badRequest, "widgets is a list of at most \(mostWidgets)")
    }
    for (index, widget) in widgets.enumerated() {
      guard let id = widget["id"]?.text, (1...longestID).contains(id.utf8.count), widget["size"]?.text != nil else {
        throw HTTPRefusal(.badRequest, "widgets[\(index)] has no id of at most \(longestID) bytes, or no size")
      }
    }
  }
}

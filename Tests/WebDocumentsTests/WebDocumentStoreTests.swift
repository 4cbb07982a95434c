// Layouts and settings survive a restart byte for byte, and a change builds on the version it names.

import HTTP
import JSON
import Linux
import ProgramKit
import TestSupport
import Testing

@testable import WebDocuments

@Suite struct WebDocumentStoreTests {
  private let folder: TemporaryFolder
  private let store: WebDocumentStore
  private static let phone = DocumentName.layout(.phone)
  private static let layout = #"{"version":1,"widgets":[{"id":"speed","size":"3x1"}]}"#

  init() throws {
    folder = try TemporaryFolder()
    store = WebDocumentStore(folder: folder.path, log: Log { _ in })
  }

  private func restarted() -> WebDocumentStore { WebDocumentStore(folder: folder.path, log: Log { _ in }) }

  private func put(
    _ text: String, _ name: DocumentName = phone, over tag: String? = nil
  ) throws(HTTPRefusal) -> WebDocument {
    let tag = tag ?? store[name].tag
    return try store.replace(name, with: Array(text.utf8)) { $0 == tag }
  }

  private func status(_ text: String, _ name: DocumentName = phone) -> Int {
    do throws(HTTPRefusal) {
      _ = try put(text, name)
      return 200
    } catch {
      return error.status.rawValue
    }
  }

  @Test("the store begins empty, and the first change builds on that")
  func first() throws {
    for name in DocumentName.all { #expect(store[name] == WebDocument(nil)) }
    let saved = try put(Self.layout)
    #expect(saved.bytes == Array(Self.layout.utf8) && saved == store[Self.phone])
    #expect(store[.layout(.bike)].bytes == nil)
    #expect(saved.tag.utf8.count == 34 && saved.tag != WebDocument(nil).tag)
  }

  @Test("a change that builds on another version is refused, and one that names none too")
  func conflicts() throws {
    let old = store[Self.phone].tag
    _ = try put(Self.layout)
    #expect(throws: HTTPRefusal(.preconditionFailed, "it was changed on another screen")) {
      try put(#"{"version":1,"widgets":[]}"#, over: old)
    }
    let refusal = #expect(throws: HTTPRefusal.self) {
      try store.replace(Self.phone, with: Array(Self.layout.utf8)) { _ in nil }
    }
    #expect(refusal?.status == .preconditionRequired)
    #expect(store[Self.phone].bytes == Array(Self.layout.utf8))
  }

  @Test("documents survive a restart byte for byte, with what this release does not know")
  func restart() throws {
    let layout =
      " {\"version\":7,\n\"widgets\":[{\"id\":\"hologram\",\"size\":\"9x9\",\"depth\":1e-9,\"of\":null,\"ä\":\"\\u00e4\"}],\"x\":[]}\n"
    let saved = try put(layout)
    _ = try put(#"{"units":"metric"}"#, .riderSettings)
    let new = restarted()
    #expect(new[Self.phone] == saved && new[Self.phone].bytes == Array(layout.utf8))
    #expect(new[.riderSettings] == store[.riderSettings])
  }

  private static func widgets(_ count: Int, _ widget: String = #"{"id":"speed","size":"1x1"}"#) -> String {
    #"{"version":1,"widgets":[\#(Array(repeating: widget, count: count).joined(separator: ","))]}"#
  }

  private static func filled(to count: Int) -> String {
    let start = #"{"version":1,"widgets":[],"x":""#
    return start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}"
  }

  static let documents: [(name: String, text: String, status: Int)] = [
    ("as many widgets as allowed", widgets(48), 200),
    ("one more", widgets(49), 400),
    ("the longest", filled(to: 65_536), 200),
    ("a byte more", filled(to: 65_537), 413),
    ("no JSON", "{", 400),
    ("nothing", "", 400),
    ("no object", "[]", 400),
    ("no version", #"{"widgets":[]}"#, 400),
    ("version 0", #"{"version":0,"widgets":[]}"#, 400),
    ("no widgets", #"{"version":1}"#, 400),
    ("a widget without an id", widgets(1, #"{"size":"1x1"}"#), 400),
    ("a widget without a size", widgets(1, #"{"id":"speed"}"#), 400),
    ("a widget with an empty id", widgets(1, #"{"id":"","size":"1x1"}"#), 400),
    ("a widget that is a word", widgets(1, "\"speed\""), 400),
    ("nested too deeply", String(repeating: "[", count: 1000), 400),
  ]

  @Test("a layout has to be one", arguments: documents)
  func rules(_ row: (name: String, text: String, status: Int)) {
    #expect(status(row.text) == row.status, "\(row.name)")
    #expect((store[Self.phone].bytes != nil) == (row.status == 200))
  }

  @Test("settings are any object")
  func settings() {
    #expect(status("{}", .screenSettings(.small)) == 200)
    #expect(status("[]", .screenSettings(.small)) == 400)
  }

  @Test("names come from a fixed list, and all documents together have less than 1 MB")
  func names() {
    #expect(DocumentName(layout: "phone") == Self.phone && DocumentName(settings: "rider") == .riderSettings)
    for name in ["rider", "", "Phone", "../phone", "phone.json"] { #expect(DocumentName(layout: name) == nil) }
    #expect(DocumentName(settings: "bike") == .screenSettings(.bike) && DocumentName(settings: "x") == nil)
    #expect(Set(DocumentName.all.map(\.file)).count == 11)
    #expect(DocumentName.all.count * WebDocumentStore.longest <= 1 << 20)
  }

  @Test(
    "a damaged file is set aside, and the others are used",
    arguments: [
      "{", #"{"version":1}"#, #"{"version":1,"document":"{"}"#,
      #"{"version":1,"document":"{\"version\":1,\"widgets\":{}}"}"#, #"{"version":2,"document":"{}"}"#,
    ])
  func damaged(_ content: String) throws {
    _ = try put(Self.layout)
    _ = try put(#"{"units":"metric"}"#, .riderSettings)
    try Files.replace(folder.file("layout-phone.json"), with: Array(content.utf8), mode: 0o600)
    let new = restarted()
    #expect(new[Self.phone].bytes == nil && new[.riderSettings].bytes != nil)
    #expect(Files.exists(folder.file("layout-phone.json.damaged-1")))
  }

  @Test("if a change cannot be saved, the old version stays")
  func notSaved() throws {
    let saved = try put(Self.layout)
    try Files.rename(folder.path, to: folder.path + "-away")
    #expect(status(#"{"version":1,"widgets":[]}"#) == 500)
    try Files.rename(folder.path + "-away", to: folder.path)
    #expect(store[Self.phone] == saved && restarted()[Self.phone] == saved)
  }
}

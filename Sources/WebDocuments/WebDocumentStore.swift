// Layouts and settings of pages, one file each in the state directory. A change has to build on the
// current version, so that two screens do not overwrite each other's changes unseen.

import Digests
public import HTTP
import JSON
import Linux
public import ProgramKit

/// A stored document. Before the first change there is none, and its tag is that of nothing.
public struct WebDocument: Equatable, Sendable {
  /// As it was sent; nil if there is none.
  public let bytes: [UInt8]?
  /// The version, as ETag and If-Match have it. It follows from the bytes, so that it survives a
  /// restart.
  public let tag: String

  init(_ bytes: [UInt8]?) {
    self.bytes = bytes
    tag = "\"\(bytes.map { String(SHA256(of: $0).hex.prefix(32)) } ?? "none")\""
  }
}

public final class WebDocumentStore {
  static let version = 1
  /// Of one document. All of them together have less than 1 MB.
  public static let longest = 64 << 10

  private var documents: [DocumentName: WebDocument] = [:]
  private let files: [DocumentName: StateFile]

  public init(folder: String, log: Log) {
    files = Dictionary(
      uniqueKeysWithValues: DocumentName.all.map { name in
        (name, StateFile("\(folder)/\(name.file)", version: Self.version, fallback: name.fallback, log: log))
      })
    for (name, file) in files { documents[name] = WebDocument(Self.load(name, file)) }
  }

  public subscript(_ name: DocumentName) -> WebDocument { documents[name] ?? WebDocument(nil) }

  /// Replaces the document, if the change builds on the current version: `HTTPRequest.buildsOn` is
  /// the third parameter. Returns the new version.
  public func replace(
    _ name: DocumentName, with bytes: [UInt8], ifBuildsOn builds: (String) -> Bool?
  ) throws(HTTPRefusal) -> WebDocument {
    try DocumentRules.check(bytes, as: name)
    switch builds(self[name].tag) {
    case nil: throw HTTPRefusal(.preconditionRequired, "If-Match has to name the version that this change builds on")
    case .some(false): throw HTTPRefusal(.preconditionFailed, "it was changed on another screen")
    case .some(true): break
    }
    let new = WebDocument(bytes)
    if new == self[name] { return new }
    do throws(SystemError) {
      // As text, because a value would be written in another form than it was sent in.
      try files[name]?.save { $0.member("document", String(decoding: bytes, as: UTF8.self)) }
    } catch {
      throw HTTPRefusal(.internalError, "the change cannot be saved: \(error)")
    }
    documents[name] = new
    return new
  }

  private static func load(_ name: DocumentName, _ file: StateFile) -> [UInt8]? {
    guard let json = file.load() else { return nil }
    let bytes = json["document"]?.text.map { Array($0.utf8) } ?? []
    do throws(HTTPRefusal) {
      try DocumentRules.check(bytes, as: name)
      return bytes
    } catch {
      file.quarantine("is damaged (\(error.reason))")
      return nil
    }
  }
}

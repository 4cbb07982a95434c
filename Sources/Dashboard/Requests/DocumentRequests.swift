// Layouts and settings: pages read and replace whole documents, with the version that they build on.

import HTTP
import HTTPServing
import JSON
import WebAccess
import WebDocuments

final class DocumentRequests {
  private let documents: WebDocumentStore
  private let streams: PageStreams

  init(_ documents: WebDocumentStore, _ streams: PageStreams) {
    (self.documents, self.streams) = (documents, streams)
  }

  func layout(_ exchange: HTTPExchange, _ grant: Grant) {
    let name = grant.values["name"] ?? ""
    guard let document = DocumentName(layout: name) else {
      return exchange.refuse(.notFound, "no layout is called \(name)")
    }
    handle(exchange, document, path: "layouts/\(name)")
  }

  func settings(_ exchange: HTTPExchange, _ grant: Grant) {
    let name = grant.values["name"] ?? ""
    guard let document = DocumentName(settings: name) else {
      return exchange.refuse(.notFound, "no settings are called \(name)")
    }
    handle(exchange, document, path: "settings/\(name)")
  }

  private func handle(_ exchange: HTTPExchange, _ name: DocumentName, path: String) {
    if exchange.request.method == .put { replace(exchange, name, path) } else { read(exchange, name) }
  }

  /// The answer to a document that was never saved has a tag too, so that it can be saved.
  private func read(_ exchange: HTTPExchange, _ name: DocumentName) {
    let document = documents[name]
    if exchange.request.has(document.tag) {
      return exchange.reply(HTTPResponse(.notModified).setting("ETag", document.tag))
    }
    guard let bytes = document.bytes else {
      return exchange.reply(
        HTTPResponse(HTTPRefusal(.notFound, "nothing was saved yet")).uncached.setting("ETag", document.tag))
    }
    exchange.reply(HTTPResponse.revalidated(bytes, type: "application/json", tag: document.tag))
  }

  /// Other pages are told that there is a new version.
  private func replace(_ exchange: HTTPExchange, _ name: DocumentName, _ path: String) {
    do throws(HTTPRefusal) {
      let document = try documents.replace(name, with: exchange.request.body, ifBuildsOn: exchange.request.buildsOn)
      exchange.reply(HTTPResponse(.noContent).uncached.setting("ETag", document.tag))
      streams.publishChange(of: path, tag: document.tag)
    } catch {
      exchange.reply(HTTPResponse(error).uncached.setting("ETag", documents[name].tag))
    }
  }
}

extension HTTPResponse {
  /// A browser may keep it, but asks each time whether there is another version.
  static func revalidated(_ bytes: [UInt8], type: String, tag: String) -> HTTPResponse {
    HTTPResponse(.ok, .bytes(bytes)).setting("Content-Type", type).setting("ETag", tag)
      .setting("Cache-Control", "no-cache")
  }
}

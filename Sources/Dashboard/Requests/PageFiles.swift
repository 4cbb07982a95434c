// Serves the page, its files, its fonts, and Leaflet, which arranges map tiles.

import Digests
import HTTP
import HTTPServing
import Linux
import ProgramKit
import WebAccess

final class PageFiles {
  /// The folder as it was when it was last read; nil if it could not be.
  private var folder: PageFolder?
  private var fontFolders: [String] = []
  private let leafletFolder: String
  private let log: Log

  /// The files of Debian's packages fonts-adf-gillius and fonts-opendin, and those of D-DIN, which a
  /// rider may have.
  private static let fonts = [
    "GilliusADF-Regular.otf", "GilliusADF-Bold.otf", "OSP-DIN.ttf", "D-DIN.otf", "D-DIN.ttf", "D-DINCondensed.otf",
    "D-DINCondensed.ttf",
  ]
  private static let debianFolders = [
    "/usr/share/fonts/truetype/adf", "/usr/share/fonts/opentype/adf", "/usr/share/fonts/truetype/opendin",
  ]
  /// Numbers are shown in the first of these that is found.
  private static let numberFonts = [
    "D-DINCondensed.otf", "D-DINCondensed.ttf", "D-DIN.otf", "D-DIN.ttf", "OSP-DIN.ttf",
  ]
  private static let numbers = "numbers.otf"
  private static let mostFontBytes = 2 << 20

  /// The files of Debian's package libjs-leaflet. Pages ask for them only if there is a map.
  private static let leafletFiles = [
    "leaflet.esm.min.js": "text/javascript; charset=utf-8", "leaflet.css": "text/css; charset=utf-8",
  ]
  private static let mostLeafletBytes = 1 << 20

  init(leafletFolder: String, log: Log) { (self.leafletFolder, self.log) = (leafletFolder, log) }

  func load(_ path: String, fonts: [String]) {
    fontFolders = fonts + Self.debianFolders
    do throws(SystemError) {
      let new = try PageFolder(path)
      folder = new
      if new.files["index.html"] == nil { log.error("\(path): the page is not installed there") }
    } catch {
      log.error("the page cannot be read, so browsers get the one before, if any: \(error)")
    }
  }

  /// All paths of the page are the same document.
  func page(_ exchange: HTTPExchange) { entry("index.html", exchange) }

  func appFile(_ exchange: HTTPExchange, _ grant: Grant) { entry(grant.values["file"] ?? "", exchange) }

  private func entry(_ name: String, _ exchange: HTTPExchange) {
    guard let file = folder?.files[name] else {
      let isPage = name == "index.html"
      return exchange.refuse(
        isPage ? .unavailable : .notFound, isPage ? "the page is not installed" : "there is no such file")
    }
    guard !exchange.request.has(file.tag) else {
      return exchange.reply(HTTPResponse(.notModified).setting("ETag", file.tag))
    }
    exchange.reply(HTTPResponse.revalidated(file.bytes, type: file.type, tag: file.tag))
  }

  /// A page that is still open after an upgrade asks for files of the release before. It gets none,
  /// because they would not fit together.
  func pageFile(_ exchange: HTTPExchange, _ grant: Grant) {
    guard let folder, grant.values["hash"] == folder.hash, let file = folder.files[grant.values["file"] ?? ""] else {
      return exchange.refuse(.notFound, "there is no such file in this release: load the page again")
    }
    var response = HTTPResponse(.ok, .bytes(file.bytes))
    if let gzip = file.gzip {
      if exchange.request.accepts(encoding: "gzip") {
        response = HTTPResponse(.ok, .bytes(gzip)).setting("Content-Encoding", "gzip")
      }
      response.set("Vary", "Accept-Encoding")
    }
    exchange.reply(
      response.setting("Content-Type", file.type).setting("Cache-Control", "public, max-age=31536000, immutable"))
  }

  func font(_ exchange: HTTPExchange, _ grant: Grant) {
    let wanted = grant.values["name"]
    let names = wanted == Self.numbers ? Self.numberFonts : Self.fonts.filter { $0 == wanted }
    guard let (name, bytes) = readFont(names) else {
      return exchange.refuse(.notFound, "there is no such font")
    }
    reply(exchange, HTTPResponse(.ok, .bytes(bytes)), name.hasSuffix(".ttf") ? "font/ttf" : "font/otf", of: bytes)
  }

  var hasLeaflet: Bool { Self.leafletFiles.keys.allSatisfy { Files.exists(leafletFolder + "/" + $0) } }

  func leaflet(_ exchange: HTTPExchange, _ grant: Grant) {
    let name = grant.values["name"] ?? ""
    guard let type = Self.leafletFiles[name], let bytes = readLeaflet(name) else {
      return exchange.refuse(.notFound, "Leaflet has no such file here: install libjs-leaflet")
    }
    var response = HTTPResponse(.ok, .bytes(bytes)).setting("Vary", "Accept-Encoding")
    if exchange.request.accepts(encoding: "gzip"), let gzip = readLeaflet(name + ".gz") {
      response = HTTPResponse(.ok, .bytes(gzip)).setting("Content-Encoding", "gzip").setting("Vary", "Accept-Encoding")
    }
    reply(exchange, response, type, of: bytes)
  }

  private func readLeaflet(_ name: String) -> [UInt8]? {
    try? Files.read(leafletFolder + "/" + name, atMost: Self.mostLeafletBytes)
  }

  /// With a file of a package, which changes with upgrades of that package only.
  private func reply(_ exchange: HTTPExchange, _ response: HTTPResponse, _ type: String, of bytes: [UInt8]) {
    let tag = "\"\(SHA256(of: bytes).hex.prefix(32))\""
    guard !exchange.request.has(tag) else { return exchange.reply(HTTPResponse(.notModified).setting("ETag", tag)) }
    exchange.reply(
      response.setting("Content-Type", type).setting("ETag", tag).setting("Cache-Control", "public, max-age=86400"))
  }

  private func readFont(_ names: [String]) -> (name: String, bytes: [UInt8])? {
    for name in names {
      for folder in fontFolders {
        if let bytes = try? Files.read(folder + "/" + name, atMost: Self.mostFontBytes) { return (name, bytes) }
      }
    }
    return nil
  }
}

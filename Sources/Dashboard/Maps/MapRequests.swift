// Requests about maps: tiles and the list for pages, and adding and removing on web.sock.

import Digests
import EventLoop
import HTTP
import HTTPServing
import JSON
import LogbookWire
import ProgramKit
import Serving
import TileSets
import WebAccess
import Wire

final class MapRequests {
  private let folder: MapFolder
  private let streams: PageStreams
  private let loop: EventLoop
  private let log: Log
  /// The version of the list that pages can have; nil until the folder was read.
  private var tag: String?
  /// One at a time, because each takes room that was counted as free.
  private weak var upload: MapUpload?

  init(_ folder: MapFolder, _ streams: PageStreams, loop: EventLoop, log: Log) {
    (self.folder, self.streams, self.loop, self.log) = (folder, streams, loop, log)
    folder.changed = { [weak self] in self?.publishChange() }
  }

  // MARK: Pages

  private func publishChange() {
    var writer = JSONWriter()
    writeList(into: &writer)
    let new = "\"\(SHA256(of: writer.bytes).hex.prefix(32))\""
    if let tag, tag != new { streams.publishChange(of: "maps", tag: new) }
    tag = new
  }

  func list(_ exchange: HTTPExchange) { exchange.reply(.json { self.writeList(into: &$0) }) }

  /// `/tiles/NAME/Z/X/Y`: rows count from the north.
  func tile(_ exchange: HTTPExchange, _ grant: Grant) {
    guard let map = grant.values["name"].flatMap(folder.map) else {
      return exchange.refuse(.notFound, "there is no such map")
    }
    var bytes: [UInt8] = []
    guard let format = read(grant, of: map, into: &bytes) else {
      return exchange.refuse(.notFound, "the map has no such tile")
    }
    let tag = "\"\(SHA256(of: bytes).hex.prefix(32))\""
    guard !exchange.request.has(tag) else {
      return exchange.reply(HTTPResponse(.notModified).setting("ETag", tag).setting("Cache-Control", Self.caching))
    }
    exchange.reply(
      HTTPResponse(.ok, .bytes(bytes)).setting("Content-Type", format.mediaType).setting("ETag", tag)
        .setting("Cache-Control", Self.caching))
  }

  /// A screen that is turned away must not leave tiles in a cache of others.
  private static let caching = "private, max-age=3600"

  private func read(_ grant: Grant, of map: DashboardMap, into bytes: inout [UInt8]) -> TileFormat? {
    func number(_ name: String) -> Int? {
      guard let text = grant.values[name], 1...8 ~= text.utf8.count,
        text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      return Int(text)
    }
    guard let zoom = number("z"), let column = number("x"), let row = number("y") else { return nil }
    do throws(TileSetProblem) {
      return try map.tiles.read(zoom: zoom, column: column, row: row, into: &bytes)
    } catch {
      map.logDamage(error, log)
      return nil
    }
  }

  // MARK: web.sock

  func list() -> Answer { .result { self.writeList(into: &$0) } }

  func add(_ parameters: JSONValue, _ asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    guard let name = parameters["name"]?.text else { throw Refusal(.badRequest, "name is missing: of the map") }
    guard let bytes = parameters["bytes"]?.integer, bytes > 0 else {
      throw Refusal(.badRequest, "bytes is missing: the size of the file")
    }
    guard bytes <= MapUpload.mostBytes else {
      throw Refusal(reached: .upload, "a map has at most \(MapUpload.mostBytes >> 30) GiB")
    }
    guard upload?.isFrom == nil, client.operation == nil else { throw Refusal(.busy, "another map is being added") }
    // The client keeps it.
    let new = try MapUpload(name, bytes: bytes, to: folder, from: client, loop: loop)
    upload = new
    return .done
  }

  func put(_ parameters: JSONValue, _ asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client, let upload, upload.isFrom === client else {
      throw Refusal(.badRequest, "no map is being added on this connection: begin with map_add")
    }
    guard let offset = parameters["offset"]?.integer, let piece = parameters["base64"].flatMap(Piece.init(wire:)) else {
      throw Refusal(.badRequest, "a piece has an offset, and at most \(Piece.mostBytes) bytes as base64")
    }
    let count = try upload.append(piece, at: offset)
    let map = upload.isComplete ? try upload.finish() : nil
    return .result { writer in
      writer.beginObject()
      writer.member("bytes", count)
      if let map {
        writer.member("map")
        map.write(into: &writer)
      }
      writer.endObject()
    }
  }

  func remove(_ parameters: JSONValue) throws(Refusal) -> Answer {
    guard let name = parameters["name"]?.text else { throw Refusal(.badRequest, "name is missing: of the map") }
    try folder.remove(name)
    return .done
  }

  private func writeList(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("maps")
    writer.beginArray()
    for map in folder.maps { map.write(into: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

extension DashboardMap {
  fileprivate func write(into writer: inout JSONWriter) {
    let description = tiles.description
    writer.beginObject()
    writer.member("name", name)
    writer.member("bytes", bytes)
    writer.member("revision", revision)
    writer.member("format", description.format.rawValue)
    writer.member("min_zoom", description.zooms.lowerBound)
    writer.member("max_zoom", description.zooms.upperBound)
    writer.member("title", description.title)
    writer.member("attribution", description.attribution)
    if let bounds = description.bounds {
      writer.member("bounds")
      writer.beginArray()
      for degrees in [bounds.west, bounds.south, bounds.east, bounds.north] { writer.number(degrees) }
      writer.endArray()
    }
    writer.endObject()
  }
}

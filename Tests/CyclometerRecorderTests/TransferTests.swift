// Transfers in both directions: pieces, limits, and what happens to clients that stop.

import Foundation
import JSON
import Linux
import Logbook
import LogbookWire
import SQLite
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct TransferTests {
  private let recorder: RunningRecorder
  private let peer: LogbookPeer

  init() throws {
    recorder = try RunningRecorder()
    peer = try LogbookPeer(recorder.socket)
  }

  /// A ride of so many seconds. Others begin on another day.
  private static func gpx(_ seconds: Int, day: Int = 1) -> [UInt8] {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for second in 0..<seconds {
      let clock = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      let time = "2026-05-0\(day)T\(clock.joined(separator: ":"))Z"
      text += #"<trkpt lat="47.\#(100_000 + second)" lon="8.5"><ele>400</ele><time>\#(time)</time></trkpt>"#
    }
    return Array((text + "</trkseg></trk></gpx>").utf8)
  }

  private func put(_ content: [UInt8], as transfer: Int, _ peer: LogbookPeer) throws -> JSONValue {
    var offset = 0
    while true {
      let end = min(content.count, offset + Piece.mostBytes)
      let text = String(decoding: Base64.encode(content[offset..<end]), as: UTF8.self)
      let isLast = end == content.count
      let last = isLast ? #","end":true,"bytes":\#(end)"# : ""
      let reply = try peer.ask(
        "put", #"{"transfer":\#(transfer),"offset":\#(offset),"base64":"\#(text)"\#(last)}"#)
      if isLast || reply["class"] == "error" { return reply }
      #expect(reply["result"]?["bytes"]?.integer == end)
      offset = end
    }
  }

  private func upload(_ content: [UInt8], from peer: LogbookPeer) throws -> JSONValue {
    let begun = try peer.result("import", #"{"name":"ride.gpx","bytes":\#(content.count)}"#)
    return try put(content, as: #require(begun["transfer"]?.integer), peer)
  }

  private func added(_ content: [UInt8]) throws -> Int {
    let reply = try upload(content, from: peer)
    return try #require(reply["result"]?["added"]?.items?.first?.integer, "\(reply)")
  }

  @Test("an activity of a backup gets the training load that an older release did not compute")
  func loadOfBackup() throws {
    let path = recorder.folder.file("old.db")
    do {
      let logbook = try LogbookFile(path)
      var row = StoredActivity()
      (row.uuid, row.source) = ([UInt8](repeating: 7, count: 16), .hand)
      row.rider = #"{"sex":"female","resting_bpm":52,"max_bpm":186,"threshold_bpm":170}"#
      (row.totals.effort.bpmAvg, row.totals.effort.movingTimeS) = (150, 1800)
      _ = try ActivityTable(logbook.database).insert(row)
      try logbook.database.checkpoint()
    }
    let watcher = try LogbookPeer(recorder.socket)
    _ = try watcher.result("subscribe")
    let id = try added(try Files.read(path))
    // Who shows totals learns that there are new ones.
    #expect(try watcher.change("added")["activity"]?["training_load"] == nil)
    let changed = try watcher.change("changed")
    #expect(changed["id"]?.integer == id && changed["activity"]?["training_load"]?.number ?? 0 > 0, "\(changed)")
    try peer.waitForLoad(of: id)
  }

  private var spooled: [String] { (try? Files.names(in: recorder.stateFolder + "/spool")) ?? [] }

  @Test("a file is uploaded in pieces, announced, and downloaded in pieces that wait for the reader")
  func roundTrip() throws {
    let watcher = try LogbookPeer(recorder.socket)
    _ = try watcher.result("subscribe")
    let id = try added(Self.gpx(1300))
    #expect(try watcher.change("added")["id"]?.integer == id)
    #expect(spooled.isEmpty)
    let begun = try peer.result("export", #"{"id":\#(id),"format":"gpx"}"#)
    let transfer = try #require(begun["transfer"]?.integer)
    #expect(begun["name"]?.text?.hasSuffix(".gpx") == true)
    var count = 0
    while true {
      let piece = try peer.next { $0["class"] == "data" }
      let bytes = try #require(piece["base64"]?.text.flatMap { Base64.decode($0.utf8) })
      #expect(piece["transfer"]?.integer == transfer && piece["offset"]?.integer == count)
      #expect(bytes.count <= Piece.mostBytes)
      count += bytes.count
      if piece["end"] == true {
        #expect(piece["bytes"]?.integer == count)
        break
      }
    }
    #expect(count > 2 * Piece.mostBytes)
    // The next transfer of the connection is possible.
    #expect(try peer.result("track", #"{"id":\#(id)}"#)["transfer"]?.integer == transfer + 1)
  }

  @Test("a connection has one transfer, and cancel ends it")
  func one() throws {
    let id = try added(Self.gpx(3000))
    _ = try peer.result("export", #"{"id":\#(id),"format":"gpx"}"#)
    #expect(try peer.ask("backup")["code"] == "busy")
    #expect(try peer.ask("import", #"{"name":"x","bytes":5}"#)["code"] == "busy")
    _ = try peer.result("cancel")
    _ = try peer.result("backup")
    _ = try peer.result("cancel")
    #expect(try peer.result("ping").members != nil)
    #expect(spooled.isEmpty)
  }

  @Test("there are at most eight transfers in all, and one that ends makes room")
  func eight() throws {
    var peers: [LogbookPeer] = []
    for _ in 0..<8 {
      let other = try LogbookPeer(recorder.socket)
      _ = try other.result("import", #"{"name":"ride.gpx","bytes":500}"#)
      peers.append(other)
    }
    let refused = try peer.ask("import", #"{"name":"ride.gpx","bytes":500}"#)
    #expect(refused["code"] == "limit_reached" && refused["limit"] == "transfers")
    #expect(spooled.count == 8)
    // A client that is gone leaves nothing behind.
    peers.removeLast()
    let deadline = MonotonicTime.now + .seconds(20)
    while spooled.count > 7, MonotonicTime.now < deadline { _ = try peer.ask("ping") }
    #expect(spooled.count == 7)
    _ = try peer.result("import", #"{"name":"ride.gpx","bytes":500}"#)
  }

  @Test("an upload has the announced length, its pieces in order, and a limit")
  func rules() throws {
    let begun = try peer.result("import", #"{"name":"ride.gpx","bytes":10}"#)
    let transfer = try #require(begun["transfer"]?.integer)
    func put(_ offset: Int, _ text: String, _ rest: String = "") throws -> JSONValue {
      try peer.ask("put", #"{"transfer":\#(transfer),"offset":\#(offset),"base64":"\#(text)"\#(rest)}"#)
    }
    #expect(try put(3, "AAAA")["code"] == "bad_request")
    #expect(try put(0, "AAAA")["result"]?["bytes"]?.integer == 3)
    #expect(try put(0, "AAAA")["code"] == "bad_request")
    #expect(try put(3, "AAAA", #","end":true"#)["code"] == "bad_request")
    #expect(try put(3, "AAAAAAAAAAAA")["code"] == "bad_request")
    #expect(try put(3, "AAAAAAAAAA==", #","end":true,"bytes":10"#)["code"] == "bad_file")
    #expect(spooled.isEmpty)
    let large = try peer.result("import", #"{"name":"ride.gpx","bytes":70000000}"#)
    let first = try peer.ask("put", #"{"transfer":\#(large["transfer"]?.integer ?? 0),"offset":0,"base64":"AAAA"}"#)
    #expect(first["code"] == "limit_reached" && first["limit"] == "upload")
    #expect(try peer.ask("import", #"{"name":"ride.gpx","bytes":3000000000}"#)["code"] == "bad_request")
  }

  @Test("a client that leaves during its import leaves nothing behind")
  func vanished() throws {
    let content = Self.gpx(2500)
    var other: LogbookPeer? = try LogbookPeer(recorder.socket)
    let begun = try other?.result("import", #"{"name":"ride.gpx","bytes":\#(content.count)}"#)
    let transfer = try #require(begun?["transfer"]?.integer)
    var offset = 0
    while offset < content.count {
      let end = min(content.count, offset + Piece.mostBytes)
      let text = String(decoding: Base64.encode(content[offset..<end]), as: UTF8.self)
      let last = end == content.count ? #","end":true"# : ""
      try other?.begin("put", #"{"transfer":\#(transfer),"offset":\#(offset),"base64":"\#(text)"\#(last)}"#)
      if end < content.count { _ = try other?.next() }
      offset = end
    }
    other = nil
    let deadline = MonotonicTime.now + .seconds(30)
    while !spooled.isEmpty, MonotonicTime.now < deadline { _ = try peer.ask("ping") }
    #expect(spooled.isEmpty)
    // It was finished before the client left, or removed.
    let count = try peer.result("status")["activities"]?.integer ?? -1
    #expect(0...1 ~= count)
    #expect(try peer.result("list")["activities"]?.items?.count == count)
  }

  @Test("eight clients with long work are all served, and so is a ninth with a short request")
  func fairness() throws {
    let id = try added(Self.gpx(1200))
    let others = try (0..<8).map { _ in try LogbookPeer(recorder.socket) }
    let numbers = try others.map { try $0.begin("series", #"{"id":\#(id),"points":4000}"#) }
    for _ in 0..<50 { #expect(try peer.ask("list")["class"] == "reply") }
    for (other, number) in zip(others, numbers) {
      #expect(try other.answer(to: number)["result"]?["transfer"] != nil)
      while try other.next(where: { $0["class"] == "data" })["end"] != true {}
    }
  }

  @Test("a client with too many unanswered requests is refused")
  func crowd() throws {
    _ = try added(Self.gpx(100))
    var ids: [Int] = []
    for _ in 0..<1000 { ids.append(try peer.begin("stats", #"{"by":"year"}"#)) }
    var codes: [String: Int] = [:]
    for id in ids { codes[try peer.answer(to: id)["code"]?.text ?? "ok", default: 0] += 1 }
    #expect(codes["ok"] ?? 0 >= 256 && codes.keys.allSatisfy { $0 == "ok" || $0 == "busy" })
  }
}

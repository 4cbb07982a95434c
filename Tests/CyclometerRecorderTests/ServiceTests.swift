// The recorder as a service: its start, its end, and what it needs.

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
struct ServiceTests {
  @Test("without a daemon the logbook works, and the daemon's absence is logged once")
  func withoutDaemon() throws {
    let recorder = try RunningRecorder()
    let peer = try LogbookPeer(recorder.socket)
    #expect(peer.hello["logbook"] == "1.0")
    #expect(peer.hello["limits"]?["clients"]?.integer == 32)
    let status = try peer.result("status")
    #expect(status["connected"] != true)
    #expect(status["activities"]?.integer == 0 && status["storage"] == "ok")
    #expect(try recorder.logs("daemon: not connected"))
    #expect(recorder.stop() == 0)
    #expect(recorder.diagnostics.components(separatedBy: "daemon: not connected").count == 2)
    #expect(!Files.exists(recorder.socket))
  }

  @Test("a recording that a crash left is interrupted while the daemon is away")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("recorder"), mode: 0o700)
    let id: Int64
    do {
      let logbook = try LogbookFile(folder.file("recorder/logbook.db"))
      var row = StoredActivity()
      (row.uuid, row.rideID, row.state) = ([UInt8](repeating: 7, count: 16), "r1", .recording)
      id = try ActivityTable(logbook.database).insert(row)
    }
    let recorder = try RunningRecorder(in: folder)
    let status = try LogbookPeer(recorder.socket).result("status")
    #expect(status["interrupted"]?.integer == Int(id) && status["recording"] == nil)
    #expect(recorder.diagnostics.contains("recording \(id): found, waiting for the daemon's ride"))
  }

  @Test("an unknown method and a bad parameter are refused")
  func refusals() throws {
    let recorder = try RunningRecorder()
    let peer = try LogbookPeer(recorder.socket)
    #expect(try peer.ask("dance")["code"] == "unknown_method")
    #expect(try peer.ask("show", #"{"id":0}"#)["code"] == "bad_request")
    #expect(try peer.ask("show", #"{"id":7}"#)["code"] == "no_such_activity")
    #expect(try peer.ask("put", #"{"transfer":7,"offset":0,"base64":""}"#)["code"] == "bad_request")
    #expect(try peer.ask("ping")["class"] == "reply")
  }

  @Test("a configuration with an error is exit status 78, and a reload with one changes nothing")
  func configuration() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("recorder.conf"), with: Array("[Export]\nExportFormats=pdf\n".utf8), mode: 0o600)
    let end = try RunningRecorder.end(in: folder)
    #expect(end.status == 78)
    #expect(end.diagnostics.contains("recorder.conf:2: ExportFormats=pdf: ExportFormats must be one or more of fit"))
    try Files.replace(folder.file("recorder.conf"), with: Array("[Export]\nExportTo=none\n".utf8), mode: 0o600)
    let recorder = try RunningRecorder(in: folder)
    let peer = try LogbookPeer(recorder.socket)
    #expect(try peer.result("status")["export_folder"] == nil)
    try Files.replace(folder.file("recorder.conf"), with: Array("[Export]\nExportTo=rides\n".utf8), mode: 0o600)
    recorder.signal(SIGHUP)
    #expect(try recorder.logs("the old settings stay in effect"))
    try Files.replace(folder.file("recorder.conf"), with: Array("[Export]\nExportTo=/srv/x\n".utf8), mode: 0o600)
    recorder.signal(SIGHUP)
    #expect(try recorder.logs("reloaded"))
    #expect(try peer.result("status")["export_folder"] == "/srv/x")
  }

  @Test("what can be read of a damaged logbook is brought back under its own id")
  func damaged() throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("recorder"), mode: 0o700)
    let path = folder.file("recorder/logbook.db")
    do {
      let logbook = try LogbookFile(path)
      for number in 1...7 {
        var row = StoredActivity()
        (row.uuid, row.source, row.name) = ([UInt8](repeating: UInt8(number), count: 16), .hand, "Swim \(number)")
        row.rider = #"{"sex":"female","resting_bpm":52,"max_bpm":186,"threshold_bpm":170}"#
        (row.totals.effort.bpmAvg, row.totals.effort.movingTimeS) = (150, 1800)
        _ = try ActivityTable(logbook.database).insert(row)
      }
      try logbook.database.execute("DELETE FROM activity WHERE id != 5")
      try logbook.database.checkpoint()
    }
    var bytes = try Files.read(path)
    for place in 0..<100 { bytes[place] ^= 0x55 }
    try Files.replace(path, with: bytes, mode: 0o600)
    let recorder = try RunningRecorder(in: folder)
    #expect(try recorder.logs("logbook: 0 seconds of 1 activities were salvaged, and 0 seconds are lost"))
    let peer = try LogbookPeer(recorder.socket)
    #expect(try peer.result("show", #"{"id":5}"#)["name"] == "Swim 5")
    try peer.waitForLoad(of: 5)
    #expect(try peer.result("status")["damage"]?.text?.contains("salvaged") == true)
    let added = try peer.result("add", #"{"sport":"running","start":"2026-05-03T07:30:00.000Z","elapsed_time_s":60}"#)
    #expect(added["id"]?.integer == 8)
    #expect(Files.exists(path + ".damaged-1") && !Files.exists(path + ".damaged-1.unread"))
  }

  @Test("a logbook of a newer release is kept, and the status names it until it is removed")
  func newer() throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("recorder"), mode: 0o700)
    let path = folder.file("recorder/logbook.db")
    do { try LogbookFile(path).database.execute("PRAGMA user_version=999") }
    let recorder = try RunningRecorder(in: folder)
    let peer = try LogbookPeer(recorder.socket)
    let status = try peer.result("status")
    #expect(status["newer"]?.text == path + ".newer-1" && status["storage"] == "ok")
    try Files.remove(path + ".newer-1")
    #expect(try peer.result("status")["newer"] == nil)
  }

  @Test("a state directory that cannot be used is tried again, at once when somebody asks")
  func unusable() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("recorder"), with: [], mode: 0o600)
    let recorder = try RunningRecorder(in: folder)
    let peer = try LogbookPeer(recorder.socket)
    let status = try peer.result("status")
    #expect(status["storage"] == "failed" && status["activities"]?.integer == 0)
    #expect(status["message"]?.text?.contains("Not a directory") == true)
    #expect(try peer.ask("list")["code"] == "storage")
    _ = try peer.result("subscribe")
    #expect(try peer.event("storage_failed")["message"] == status["message"])
    try Files.remove(folder.file("recorder"))
    // Not more than once a second.
    let deadline = MonotonicTime.now + .seconds(10)
    while try peer.result("status")["storage"] != "ok", MonotonicTime.now < deadline {
      try Waiting.until(.now + .milliseconds(20))
    }
    _ = try peer.event("storage_ok")
    #expect(try peer.result("list")["activities"]?.items?.isEmpty == true)
    #expect(try recorder.logs("storage: works again"))
  }

  @Test("a second recorder does not start in the same folders")
  func second() throws {
    let recorder = try RunningRecorder()
    let end = try RunningRecorder.end(in: recorder.folder)
    #expect(end.status == 1 && end.diagnostics.contains("another cyclometer-recorder"))
    let other = try RunningRecorder.end(["--runtime-dir", recorder.folder.file("other")], in: recorder.folder)
    #expect(other.status == 1 && other.diagnostics.contains("another cyclometer-recorder uses"))
  }

  @Test("the socket is for the owner and the group")
  func mode() throws {
    let recorder = try RunningRecorder()
    let attributes = try FileManager.default.attributesOfItem(atPath: recorder.socket)
    #expect((attributes[.posixPermissions] as? Int) == 0o660)
    let database = try FileManager.default.attributesOfItem(atPath: recorder.stateFolder + "/logbook.db")
    #expect((database[.posixPermissions] as? Int) == 0o600)
  }
}

// Storage that is full, read-only or gone, as clients of logbook.sock see it.

import JSON
import Linux
import Logbook
import Recording
import SQLite
import TestSupport
import Testing

@Suite(.enabled(if: SmallDisk.isAvailable, "needs the privilege to mount a file system"), .timeLimit(.minutes(30)))
struct StorageTests {
  private let disk: SmallDisk
  private var reserve: String { disk.path + "/logbook.db.reserve" }

  init() throws {
    disk = try SmallDisk(bytes: 12 << 20)
  }

  @Test("storage that is full is announced, and so is that there is room again")
  func full() throws {
    let daemon = try RealDaemon(["--simulate", "bike"])
    // Otherwise it takes a while to fill.
    try SmallDisk.allocate(reserve, Reserve.size)
    // Every commit needs a block, because the log has none that it could overwrite.
    try LogbookFile(disk.path + "/logbook.db").database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let recorder = try RunningRecorder(in: daemon.folder, state: disk.path)
    let peer = try LogbookPeer(recorder.socket)
    _ = try peer.result("subscribe")
    let id = try #require(try peer.change("recording")["id"]?.integer)
    #expect(try peer.event("storage_low")["message"]?.text?.hasSuffix("hours are left") == true)

    try disk.fill()
    let low = try peer.event("storage_low")
    #expect(low["message"] == "the storage is full: the reserve is used" && low["time"] != nil)
    #expect(try peer.result("status")["storage"] == "low")
    #expect(!Files.exists(reserve))

    try disk.fill()
    let failed = try peer.event("storage_failed")
    #expect(failed["activity"]?.integer == id && failed["message"] == "the storage is full")
    #expect(try peer.result("status")["message"] == "the storage is full")
    // A client that comes later is told at once, and reading works.
    let late = try LogbookPeer(recorder.socket)
    _ = try late.result("subscribe")
    #expect(try late.change("recording")["id"]?.integer == id)
    #expect(try late.event("storage_failed")["message"] == "the storage is full")
    #expect(try late.result("list")["activities"]?.items?.count == 1)

    try disk.empty()
    _ = try peer.event("storage_ok")
    #expect(try peer.result("status")["recording"]?.integer == id)
    #expect(recorder.stop() == 0)
  }

  @Test("a card that is read-only at the start is reported, and recording begins when it is repaired")
  func readOnly() throws {
    let daemon = try RealDaemon(["--simulate", "bike"])
    try disk.setReadOnly(true)
    let recorder = try RunningRecorder(in: daemon.folder, state: disk.path)
    let peer = try LogbookPeer(recorder.socket)
    _ = try peer.result("subscribe")
    let message = "the file system of \(disk.path) is read-only"
    #expect(try peer.event("storage_failed")["message"]?.text == message)
    let status = try peer.result("status")
    #expect(status["storage"] == "failed" && status["message"]?.text == message && status["recording"] == nil)
    for method in ["list", "backup"] {
      let refusal = try peer.ask(method)
      #expect(refusal["code"] == "storage" && refusal["message"]?.text == message)
    }
    #expect(try peer.ask("ping")["class"] == "reply")
    #expect(try recorder.logs("storage: nothing is recorded, trying again (\(message))"))

    try disk.setReadOnly(false)
    _ = try peer.event("storage_ok")
    let id = try peer.change("recording")["id"]?.integer
    #expect(try peer.result("status")["recording"]?.integer == id)
    #expect(recorder.stop() == 0)
  }

  @Test("storage that is full at the start: the logbook is opened in the space of the reserve")
  func fullAtStart() throws {
    let folder = try TemporaryFolder()
    try SmallDisk.allocate(reserve, Reserve.size)
    #expect(try RunningRecorder(in: folder, state: disk.path).stop() == 0)
    // A new one, which needs room from the start.
    for suffix in ["", "-wal"] { try Files.remove(disk.path + "/logbook.db" + suffix) }
    try disk.fill()
    let recorder = try RunningRecorder(in: folder, state: disk.path)
    let peer = try LogbookPeer(recorder.socket)
    #expect(try peer.result("list")["activities"]?.items?.isEmpty == true)
    #expect(!Files.exists(reserve))
    let added = try peer.result("add", #"{"sport":"running","start":"2026-05-03T07:30:00.000Z","elapsed_time_s":60}"#)
    #expect(added["id"]?.integer == 1)
  }
}

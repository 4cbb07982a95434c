// The recorder as a service: its start, its end, and what it needs.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(5)))
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

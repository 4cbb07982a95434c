// What the daemon answers when it cannot save a change.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RememberingTests {
  @Test("a change that cannot be saved is an error and has no effect")
  func writeError() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    // Without the folder not even root can write.
    try FileManager.default.removeItem(atPath: daemon.stateFolder)
    let error = try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#)
    #expect(error.code == "internal")
    #expect(error["message"]?.text?.isEmpty == false)
    #expect(try peer.ask("sensors").result?["sensors"]?.items?.first?["id"]?.text == Strap.worn)
    try FileManager.default.createDirectory(atPath: daemon.stateFolder, withIntermediateDirectories: false)
    #expect(try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#).result?["id"]?.text == Strap.worn)
  }
}

// What the daemon says when it cannot remember what it is told.

import Foundation
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)))
struct RememberingTests {
  @Test func whatCannotBeWrittenIsAnErrorAndNothingHasChanged() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    // Gone while the daemon runs: nothing can be written there, not even by root.
    try FileManager.default.removeItem(atPath: daemon.stateFolder)
    let error = try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#)
    #expect(error.code == "internal")
    #expect(error["message"]?.text?.isEmpty == false)
    #expect(try peer.ask("sensors").result?["sensors"]?.items?.first?["id"]?.text == Strap.worn)
    try FileManager.default.createDirectory(atPath: daemon.stateFolder, withIntermediateDirectories: false)
    #expect(try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#).result?["id"]?.text == Strap.worn)
  }
}

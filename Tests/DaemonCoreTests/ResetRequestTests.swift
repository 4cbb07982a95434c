// An adapter that hangs and that only a privileged helper can reset. A file requests the reset
// until the adapter works again.

import Linux
import Radio
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct ResetRequestTests {
  @Test("a reset stays requested until the adapter works again", arguments: [true, false])
  func requested(isFound: Bool) throws {
    let test = try TestDaemon()
    let file = test.folder.file("reset-wanted")
    test.radio.delegate?.radio(cannotRevive: "hci0")
    #expect(try Files.read(file) == Array("hci0\n".utf8))
    #expect(test.logged.lines.contains { $0.hasPrefix("warning: adapter hci0 hangs: requested a reset") })
    test.radio.change(to: .adapterOff)
    #expect(Files.exists(file), "one that is off does not work yet")
    if isFound { test.radio.advertise() } else { test.radio.change(to: nil) }
    #expect(!Files.exists(file))
    // The daemon removes its request once. A later file is not its own.
    try Files.replace(file, with: [], mode: 0o600)
    if isFound { test.radio.advertise() } else { test.radio.change(to: nil) }
    #expect(Files.exists(file))
  }

  @Test("a leftover reset request is removed at the start")
  func leftover() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("reset-wanted"), with: [], mode: 0o600)
    let test = try TestDaemon(in: folder)
    #expect(!Files.exists(test.folder.file("reset-wanted")))
  }

  @Test("a reset request that cannot be written is logged")
  func writeError() throws {
    let test = try TestDaemon()
    try Files.createDirectory(test.folder.file("reset-wanted.new"), mode: 0o700)
    test.radio.delegate?.radio(cannotRevive: "hci0")
    #expect(!Files.exists(test.folder.file("reset-wanted")))
    #expect(
      test.logged.lines.contains { $0.hasPrefix("error: adapter hci0 hangs, and requesting a reset failed: ") },
      "\(test.logged.lines)")
  }
}

// What a person sees on a terminal.

import Testing

@Suite(.timeLimit(.minutes(30)))
struct ScreenTests {
  @Test("a list on a terminal matches its snapshot")
  func listOnTerminalMatchesSnapshot() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let screen = try Screen(["list"], socket: daemon.controlSocket)
    #expect(screen.exitStatus() == 0)
    try screen.expect(snapshot: "list")
  }
}

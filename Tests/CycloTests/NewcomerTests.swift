// Somebody who knows nothing but the word `cyclo`: from help to a sensor that is paired, named, seen live, lost, understood and
// removed. Each step is taken from what the screen before it said.

import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct NewcomerTests {
  @Test("a newcomer scans, pairs, watches and forgets a sensor", arguments: [(80, 24), (40, 20)])
  func newcomerScansPairsWatches(columns: Int, rows: Int) throws {
    let daemon = try rideDaemon(strapLeavesAfter: 40, forgetting: [Ride.strap, Ride.wheel, Ride.pedals, Ride.cap])
    let socket = daemon.controlSocket

    let help = try cyclo()
    #expect(help.status == 2)
    #expect(help.complaint.contains("\n  pair "))

    let pairing = try Screen(["pair"], socket: socket, columns: columns, rows: rows)
    let list = try pairing.wait(forText: "Strap")
    #expect(list.contains("Enter"))
    let row = try #require(list.split(separator: "\n").first { $0.contains("Strap") })
    try pairing.type(String(row.prefix { $0 != "S" }.filter(\.isNumber)))
    try pairing.press("Enter")
    try pairing.wait(for: "the question for a name") { $0.contains("Name") }
    try pairing.type("Chest")
    try pairing.press("Enter")
    #expect(pairing.exitStatus() == 0)
    let paired = try pairing.text()
    #expect(paired.contains("bpm"))
    #expect(paired.contains("cyclo watch"))

    // Bounded, because the strap leaves if the computer is slow.
    let live = try cyclo("watch", "-n", "2", "-t", "60", socket: socket)
    #expect(live.status == 0)
    #expect(live.output.contains("bpm"))

    // The strap is taken off, and goes silent.
    let end = MonotonicTime.now + .seconds(60)
    while try cyclo("list", socket: socket).output.contains("streaming"), MonotonicTime.now < end {
      try Waiting.until(.now + .milliseconds(200))
    }
    let status = try Screen(["show", "chest"], socket: socket, columns: columns, rows: 50)
    #expect(status.exitStatus() == 0)
    let shown = try status.text()
    #expect(shown.contains("Chest"))
    #expect(!shown.contains("streaming"))
    #expect(shown.contains("What to do") && shown.contains("cyclo doctor"))
    #expect(shown.contains("lost") && shown.contains("once"))

    let removed = try cyclo("forget", "chest", socket: socket)
    #expect(removed.output.hasPrefix("Removed strap-0001 (Chest).\n"))
    #expect(removed.output.contains("cyclo pair \(Ride.strap) --name Chest"))
    #expect(try cyclo("list", socket: socket).output == "")
  }
}

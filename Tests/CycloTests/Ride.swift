// Sensors for a simulated daemon, played as a capture for some minutes: a wheel that turns twice a second, the pedals of a power
// meter that answers, a cap on a tire, and a strap that goes away.

import Foundation
import Linux
import TestSupport
import Time

enum Ride {
  static let wheel = "C0:FF:EE:16:00:01"
  static let pedals = "C0:FF:EE:18:00:01"
  static let cap = "80:EA:CA:00:00:02"
  static let strap = "C0:FF:EE:0D:00:01"

  static let turnsPerSecond = 2

  static func capture(seconds: Int = 300, strapLeavesAfter end: Int = .max) -> String {
    var lines = [
      "#cyclometer-capture 1",
      #"device wheel address=\#(wheel) name="Speed" services=1816"#,
      #"device pedals address=\#(pedals) name="Pedals" services=1818"#,
      "device cap address=\(cap) name=TPMS1_000002",
      #"device strap address=\#(strap) name="Strap" services=180d,180f"#,
      "0.000000 wheel read 2a5c 0100", "0.000000 pedals read 2a65 00020200", "0.000000 strap read 2a19 51",
    ]
    for second in 1...seconds {
      // Flags, then the counters: revolutions of the wheel and the time of the last, in 1/1024 s.
      let wheel = "01" + hex(second * turnsPerSecond, bytes: 4) + hex(second * 1024 & 0xffff, bytes: 2)
      lines.append("\(second).000000 wheel notify 2a5b \(wheel)")
      lines.append("\(second).100000 pedals notify 2a63 0000" + hex(100 + second % 100, bytes: 2))
      lines.append("\(second).200000 pedals indicate 2a66 200c01d2ff")
      lines.append("\(second).300000 cap advert 0100 80eaca0000026e6a0300a00c000033 00")
      if second < end { lines.append("\(second).400000 strap notify 2a37 00" + hex(60 + second % 60, bytes: 1)) }
      if second == end { lines.append("\(second).400000 strap disconnected") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Little-endian, as on the air.
  private static func hex(_ number: Int, bytes: Int) -> String {
    (0..<bytes).map { String(format: "%02x", number >> (8 * $0) & 0xff) }.joined()
  }
}

/// A daemon on that ride. Its sensors are there and were forgotten, so that they can be paired.
func rideDaemon(
  strapLeavesAfter end: Int = .max, forgetting addresses: [String] = [Ride.wheel, Ride.pedals, Ride.cap, Ride.strap]
)
  throws -> RealDaemon
{
  let folder = try TemporaryFolder()
  let file = folder.file("ride.capture")
  try Ride.capture(strapLeavesAfter: end).write(toFile: file, atomically: true, encoding: .utf8)
  let daemon = try RealDaemon(["--simulate", file], in: folder)
  for address in addresses {
    let outcome = try cyclo("forget", address, socket: daemon.controlSocket)
    guard outcome.status == 0 else { throw UnexpectedEnd(complaint: outcome.complaint) }
  }
  return daemon
}

/// The same ride with its sensors paired and found.
func streamingRide() throws -> RealDaemon {
  let daemon = try rideDaemon(forgetting: [])
  let end = MonotonicTime.now + .seconds(30)
  while try cyclo("list", socket: daemon.controlSocket).output.components(of: "streaming") < 4, MonotonicTime.now < end
  {
    try Waiting.until(.now + .milliseconds(200))
  }
  return daemon
}

struct UnexpectedEnd: Error {
  let complaint: String
}

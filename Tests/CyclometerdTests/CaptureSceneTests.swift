// A capture played by the daemon yields what `cyclo decode` prints.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct CaptureSceneTests {
  private static let capture = """
    #cyclometer-capture 1
    # Beats, contact lost, a frame that is refused, energy, and the battery between them.
    device strap address=A0:9E:1A:00:00:02 name=Strap services=180d,180f
    0.000000 strap connected
    0.100000 strap notify 2a37 103b5304
    0.200000 strap notify 2a37 164d1603
    0.300000 strap notify 2a37 164e1b031203
    0.350000 strap notify 2a37 0148
    0.400000 strap notify 2a19 63
    0.500000 strap notify 2a37 1480d801
    0.600000 strap notify 2a37 0850e803
    0.700000 strap notify 2a37 164d16031b03

    """

  /// The members that do not depend on the player.
  private func content(_ sample: JSONValue) -> JSONValue {
    .object((sample.members ?? []).filter { !["sensor", "t", "time", "age_ms"].contains($0.name) })
  }

  @Test("a played capture yields the same samples as cyclo decode, in the same order")
  func decode() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("strap.capture")
    try Self.capture.write(toFile: path, atomically: false, encoding: .utf8)
    let decode = Process()
    let output = Pipe()
    decode.executableURL = URL(fileURLWithPath: productFolder + "/cyclo")
    decode.arguments = ["decode", "--json", path]
    decode.standardOutput = output
    try withSignalsUnblocked { try decode.run() }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    decode.waitUntilExit()
    let expected = try text.split(separator: "\n").map { try JSONValue.parse(String($0)) }
      .filter { $0.className == "sample" }.map(content)
    #expect(expected.count == 7)

    let daemon = try RealDaemon(["--simulate", path], in: folder)
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe", #"{"snapshot":false}"#)
    let samples = try expected.map { _ in content(try peer.next("sample")) }
    #expect(samples == expected)
  }
}

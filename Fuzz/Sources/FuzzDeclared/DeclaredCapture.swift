// A capture, decoded with one file. The decoder that searches for the line of each refusal gives the
// same output as the usual one, also in other pieces.

import CaptureDecoding
import CaptureFormat
import DeclaredSensors
import Fuzzing
import SensorKit

func checkCapture(_ capture: [UInt8], with program: SensorProgram, lines: Int) {
  let tally = PacketTally()
  let explaining = Plugin(program.info) { ExplainingDecoder(program, settings: $0, countingIn: tally) }
  let output = decode(capture, explaining, inPieces: max(1, capture.count))
  show(String(decoding: output, as: UTF8.self))
  require(tally.refused == 0 || tally.line.map { 1...lines ~= $0 } ?? true, "refused by a line beyond \(lines)")
  _ = records(of: output)
  let size = 1 + capture.count % 61
  require(decode(capture, program.plugin, inPieces: size) == output, "without the search, the output is another")
}

private func decode(_ capture: [UInt8], _ plugin: Plugin, inPieces size: Int) -> [UInt8] {
  var run = CaptureRun(plugins: PluginRegistry([plugin]))
  var output: [UInt8] = []
  for start in stride(from: 0, to: capture.count, by: size) {
    run.feed(capture.span.extracting(start..<min(capture.count, start + size)), into: &output) { _ in }
  }
  run.finish(into: &output) { _ in }
  return output
}

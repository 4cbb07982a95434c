// Invariants for any bytes read as a capture. A problem names a line of the file, a refusal names a
// byte of the value. A parsed line reads back as it was written, and every line of output is a
// record. Neither the split into pieces nor invalid lines change the results of the others.

import CaptureDecoding
import CaptureFormat
import Fuzzing
import Sensors

func checkCapture(_ bytes: [UInt8]) {
  let whole = decode(bytes, inPieces: max(1, bytes.count))
  show(String(decoding: whole.output, as: UTF8.self))
  for problem in whole.problems { show("\(problem)") }
  let lineCount = bytes.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
  for problem in whole.problems {
    require(1...lineCount ~= problem.line, "a problem in line \(problem.line) of \(lineCount)")
    require(!problem.message.isEmpty, "a problem without words")
  }
  _ = records(of: whole.output)

  let size = 1 + (bytes.count &+ Int(bytes.first ?? 0)) % 61
  let dripped = decode(bytes, inPieces: size)
  require(dripped.output == whole.output, "in pieces of \(size) bytes the output is another")
  require(dripped.problems == whole.problems, "in pieces of \(size) bytes the problems are others")

  var walk = LineWalk()
  var reader = CaptureReader()
  reader.feed(bytes.span) { walk.take($0, $1) }
  reader.finish { walk.take($0, $1) }
  walk.finish(whole)
}

private func decode(_ bytes: [UInt8], inPieces size: Int) -> (output: [UInt8], problems: [CaptureError]) {
  var run = CaptureRun(plugins: builtInPlugins, withRide: true)
  var output: [UInt8] = []
  var problems: [CaptureError] = []
  for start in stride(from: 0, to: bytes.count, by: size) {
    let piece = bytes.span.extracting(start..<min(bytes.count, start + size))
    run.feed(piece, into: &output) { problems.append($0) }
  }
  run.finish(into: &output) { problems.append($0) }
  return (output, problems)
}

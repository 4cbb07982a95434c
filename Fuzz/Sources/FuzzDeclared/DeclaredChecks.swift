// Invariants for any text of a declared sensor, and any packets or any capture. A problem names a line of the file.
// A file that loads decodes every packet whole or not at all: a twin that never got the refused
// packets gives the same output. No write goes to a forbidden service.

import DeclaredSensors
import Fuzzing
import SensorKit

/// Words are never freed, so all inputs share them. Only the fuzzer's own thread uses them.
private nonisolated(unsafe) let words = SensorWords(bytes: 1 << 26)

func checkDeclared(_ bytes: [UInt8]) {
  let text = Array(bytes.prefix { $0 != 0 })
  let packets = bytes.dropFirst(text.count + 1)
  let lines = text.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
  let program: SensorProgram
  do throws(SensorFile.Problems) {
    program = try unsafe SensorFile(text, words: words).program
  } catch {
    require(!error.list.isEmpty, "refused without a problem")
    for problem in error.list {
      show("\(problem)")
      require(1...lines ~= problem.line, "a problem in line \(problem.line) of \(lines)")
      require(!problem.text.isEmpty, "a problem without words")
    }
    return
  }
  if packets.starts(with: "#cyclometer-capture".utf8) {
    checkCapture(Array(packets), with: program, lines: lines)
  } else {
    var stage = DeclaredStage(program)
    stage.play(packets)
  }
}

// Running a program for its output.

import Linux
import TestSupport
import Testing
import Time

struct ChildProcessTests {
  private func output(_ words: String..., within timeout: Duration = .seconds(20)) -> String? {
    withSignalsUnblocked { ChildProcess.output(of: words, before: .now + timeout) }
  }

  @Test("the output is returned however the program ends")
  func outputReturnedHoweverProgramEnds() {
    #expect(output("printf", "one\\ntwo\\n") == "one\ntwo\n")
    #expect(output("sh", "-c", "echo kept; echo lost >&2; exit 3") == "kept\n")
    #expect(output("true") == "")
  }

  @Test("a long output is complete")
  func longOutputComplete() {
    #expect(output("sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x")?.count == 300_000)
  }

  @Test("the program's input is empty")
  func programsInputEmpty() {
    #expect(output("cat") == "")
  }

  @Test("a missing program gives no output")
  func missingProgramGivesNoOutput() {
    #expect(output("no-program-is-called-so") == nil)
    #expect(ChildProcess.output(of: [], before: .now) == nil)
  }

  @Test("a program that does not end in time is killed")
  func programThatDoesNotEnd() {
    let start = MonotonicTime.now
    #expect(output("sleep", "60", within: .milliseconds(200)) == nil)
    #expect(MonotonicTime.now - start < .seconds(30))
  }
}

// A program that is run for what it prints.

import Linux
import TestSupport
import Testing

struct ChildProcessTests {
  private func output(_ words: String..., within patience: Duration = .seconds(20)) -> String? {
    withSignalsUnblocked { ChildProcess.output(of: words, before: .now + patience) }
  }

  @Test func whatItPrintsIsTheAnswerHoweverItEnds() {
    #expect(output("printf", "one\\ntwo\\n") == "one\ntwo\n")
    #expect(output("sh", "-c", "echo kept; echo lost >&2; exit 3") == "kept\n")
    #expect(output("true") == "")
  }

  @Test func aLongAnswerIsWhole() {
    #expect(output("sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x")?.count == 300_000)
  }

  @Test func itsInputIsEmpty() {
    #expect(output("cat") == "")
  }

  @Test func aProgramThatIsNotThereGivesNoAnswer() {
    #expect(output("no-program-is-called-so") == nil)
    #expect(ChildProcess.output(of: [], before: .now) == nil)
  }

  @Test func oneThatDoesNotEndInTimeIsKilled() {
    let start = BootTime.now
    #expect(output("sleep", "60", within: .milliseconds(200)) == nil)
    #expect(BootTime.now - start < .seconds(30))
  }
}

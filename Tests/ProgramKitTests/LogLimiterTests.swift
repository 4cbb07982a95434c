// A flood of log lines: suppressed lines are counted, and other subjects are not affected.

import Linux
import Testing
import Time

@testable import ProgramKit

final class LogLimiterTests {
  private var time = MonotonicTime(nanoseconds: 0)
  private var lines: [String] = []
  private lazy var log = Log(limiter: LogLimiter { [unowned self] in time }) { [unowned self] in lines.append($0) }

  @Test("a flood of log lines is suppressed, announced and counted")
  func flood() {
    for number in 1...100 { log.info("line \(number)", LogField("SENSOR", "strap")) }
    #expect(lines.count == 41)
    #expect(
      lines.suffix(2) == ["info: line 40\n", "info: strap: too many lines, suppressing the next ones\n"])
    lines = []
    time = time + .seconds(49)
    log.info("still too soon", LogField("SENSOR", "strap"))
    time = time + .seconds(2)
    log.info("streams again", LogField("SENSOR", "strap"))
    #expect(lines == ["info: strap: 61 lines suppressed\n", "info: streams again\n"])
  }

  @Test("a flood does not suppress other subjects")
  func otherSubjects() {
    for number in 1...100 { log.info("line \(number)", LogField("USER", "1000")) }
    log.info("streams", LogField("SENSOR", "strap"))
    log.error("the daemon's own")
    #expect(lines.suffix(2) == ["info: streams\n", "error: the daemon's own\n"])
  }

  @Test("debug level suppresses nothing")
  func debugLevel() {
    log.set(level: .debug)
    for number in 1...1000 { log.debug("line \(number)", LogField("SENSOR", "strap")) }
    #expect(lines.count == 1000)
  }

  @Test("two lines every 30 s are never suppressed")
  func regularLines() {
    // Two lines every 30 s for a day.
    for _ in 1...2880 {
      log.info("lost", LogField("SENSOR", "strap"))
      log.info("streams again", LogField("SENSOR", "strap"))
      time = time + .seconds(30)
    }
    #expect(lines.count == 5760 && !lines.contains { $0.contains("suppress") })
  }

  @Test("the number of remembered subjects is bounded")
  func manySubjects() {
    let limiter = LogLimiter { [unowned self] in time }
    for number in 1...10_000 { #expect(limiter.judge("\(number)") == .admit(leftOut: 0)) }
    #expect(limiter.subjectCount <= LogLimiter.mostSubjects)
  }
}

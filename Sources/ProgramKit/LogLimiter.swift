// Limits the log lines of each subject, with a burst and a rate. A sensor that comes and goes all
// day, or a client that is turned away a thousand times a second, cannot flood the journal.

import Linux
public import Time

public final class LogLimiter {
  public enum Verdict: Equatable, Sendable {
    /// `leftOut` lines before this one were suppressed.
    case admit(leftOut: Int)
    /// The last line for now.
    case last
    case leaveOut
  }

  static let atOnce = 40.0
  static let perSecond = 0.2
  /// A subject that ran out of lines must regain this many before its next one. Otherwise it would log
  /// one line every five seconds, each with a count of dropped lines.
  static let enoughAgain = 10.0
  static let mostSubjects = 256

  private struct Allowance {
    var lines = LogLimiter.atOnce
    var counted: MonotonicTime
    var leftOut = 0
    var isSilenced = false
  }

  private let now: () -> MonotonicTime
  private var allowances: [String: Allowance] = [:]
  var subjectCount: Int { allowances.count }

  public init(now: @escaping () -> MonotonicTime) {
    self.now = now
  }

  public func judge(_ subject: String) -> Verdict {
    let time = now()
    var allowance = allowances[subject] ?? Allowance(counted: time)
    allowance.lines = min(
      Self.atOnce, allowance.lines + Double((time - allowance.counted).wholeNanoseconds) / 1e9 * Self.perSecond)
    allowance.counted = time
    defer { keep(allowance, for: subject) }
    if allowance.isSilenced {
      guard allowance.lines >= Self.enoughAgain else {
        allowance.leftOut += 1
        return .leaveOut
      }
      allowance.isSilenced = false
    }
    let leftOut = allowance.leftOut
    allowance.leftOut = 0
    allowance.lines -= 1
    allowance.isSilenced = allowance.lines < 1
    return allowance.isSilenced && leftOut == 0 ? .last : .admit(leftOut: leftOut)
  }

  /// At capacity, removes the subject that was quiet for the longest time: its allowance is most
  /// likely full again.
  private func keep(_ allowance: Allowance, for subject: String) {
    if allowances[subject] == nil, allowances.count >= Self.mostSubjects,
      let oldest = allowances.min(by: { $0.value.counted < $1.value.counted })
    {
      allowances[oldest.key] = nil
    }
    allowances[subject] = allowance
  }
}

// How many days, or weeks, in a row had an activity.

public struct Streaks: Equatable, Sendable {
  /// The longest run of numbers that follow each other; the latest of several.
  public private(set) var longest: ClosedRange<Int64>
  /// The run that still goes on: it includes the present number or the one before.
  public private(set) var current: ClosedRange<Int64>?

  /// Of the numbers of days or weeks in any order, repeated or not. Nil if there are none.
  public init?(_ numbers: some Sequence<Int64>, now: Int64) {
    let sorted = Set(numbers).sorted()
    guard let first = sorted.first else { return nil }
    longest = first...first
    var run = first...first
    for number in sorted {
      run = number == run.upperBound + 1 ? run.lowerBound...number : number...number
      if run.count >= longest.count { longest = run }
      if run.contains(now) || run.contains(now - 1) { current = run }
    }
  }
}

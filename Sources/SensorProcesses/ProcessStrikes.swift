// Users whose programs broke the protocol three times in a minute are not admitted for a minute.

public import Time

public struct ProcessStrikes: Sendable {
  private struct Record {
    let user: UInt32
    var times: [MonotonicTime] = []
  }

  private var records: [Record] = []

  private static let most = 3
  private static let period = Duration.seconds(60)

  public init() {}

  /// Whether a fault is one that counts.
  public static func counts(_ fault: ProcessFault) -> Bool {
    switch fault.code {
    case .badJSON, .badRequest, .lineTooLong: true
    case .denied, .busy, .noSuchFile, .notSupported, .pluginSlow: false
    }
  }

  public mutating func add(_ user: UInt32, at time: MonotonicTime) {
    // A minute later a record says nothing, which bounds their number by the faults of a minute.
    records.removeAll { ($0.times.last ?? time) + Self.period <= time }
    if let index = records.firstIndex(where: { $0.user == user }) {
      records[index].times.append(time)
      if records[index].times.count > Self.most { records[index].times.removeFirst() }
    } else {
      records.append(Record(user: user, times: [time]))
    }
  }

  public func admits(_ user: UInt32, at time: MonotonicTime) -> Bool {
    guard let times = records.first(where: { $0.user == user })?.times, times.count == Self.most,
      let first = times.first, let last = times.last, last - first < Self.period
    else { return true }
    return last + Self.period <= time
  }
}

// The ride of a daemon as a client of its control socket sees it.

import JSON
import Testing

final class FollowedRide {
  private let control: LogbookPeer
  /// The samples of the ride so far, in the order of arrival.
  private var samples: [JSONValue] = []

  init(_ socket: String) throws {
    control = try LogbookPeer(socket)
    _ = try control.result("subscribe", #"{"sensors":["ride"]}"#)
  }

  func command(_ action: String) throws { _ = try control.result("ride", #"{"action":"\#(action)"}"#) }

  /// Waits for a sample `ride` that fits.
  func wait(for fits: (JSONValue) -> Bool) throws {
    while true {
      let record = try control.next { $0["class"] == "sample" }
      samples.append(record)
      if record["kind"] == "ride", fits(record) { return }
    }
  }

  /// Waits for the ride to have lasted so long.
  func reach(_ seconds: Double) throws {
    try wait { $0["ended"] != true && $0["ride_time_s"]?.number ?? 0 >= seconds }
  }

  /// The last values of each ride, of `ride`, `averages` and `training`.
  func totals() throws -> [JSONValue] {
    _ = try control.ask("ping")
    samples += control.passed.filter { $0["class"] == "sample" }
    var rides: [[JSONValue.Member]] = []
    var id: JSONValue?
    for sample in samples {
      guard let kind = sample["kind"]?.text, ["ride", "averages", "training"].contains(kind) else { continue }
      if kind == "ride", sample["ride_id"] != id {
        id = sample["ride_id"]
        rides.append([])
      }
      guard !rides.isEmpty, let members = sample.members else { continue }
      for member in members where !["class", "sensor", "kind", "seq", "t", "time", "age_ms"].contains(member.name) {
        rides[rides.count - 1].removeAll { $0.name == member.name }
        rides[rides.count - 1].append(member)
      }
    }
    return rides.map { .object($0) }
  }
}

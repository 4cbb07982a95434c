// Reads and changes the rider.

import JSON
import Linux
import Metrics
import Ride
import Serving
import Wire

extension Daemon {
  func rider(_ changes: [JSONValue.Member]) throws(Refusal) -> Answer {
    var rider = riders.rider
    if let problem = rider.apply(changes) { throw Refusal(.badRequest, problem) }
    try saving { () throws(SystemError) in try remember(rider) }
    return .result { rider.write(into: &$0) }
  }

  /// Zones and energy follow immediately.
  func remember(_ rider: Rider) throws(SystemError) {
    guard rider != riders.rider else { return }
    try riders.change(to: rider)
    ride.apply(rider)
  }
}

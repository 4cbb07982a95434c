// Reads and changes the rider.

import JSON
import Linux
import Metrics
import Wire

extension Daemon {
  func rider(_ changes: [JSONValue.Member], _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    var rider = riders.rider
    if let problem = rider.apply(changes) { throw ErrorRecord(id: id, .badRequest, problem) }
    do throws(SystemError) {
      try remember(rider)
    } catch {
      throw ErrorRecord(id: id, .internal, "cannot save the change: \(error)")
    }
    reply(to: id, client) { rider.write(into: &$0) }
  }

  /// Zones and energy follow immediately.
  func remember(_ rider: Rider) throws(SystemError) {
    guard rider != riders.rider else { return }
    try riders.change(to: rider)
    ride.apply(rider)
  }
}

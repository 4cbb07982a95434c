// Reads and changes the settings of the ride.

import JSON
import Linux
import Metrics
import Wire

extension Daemon {
  func rideSettings(_ changes: [JSONValue.Member], _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    var overrides = rideSettings.overrides
    if let problem = overrides.apply(changes) { throw ErrorRecord(id: id, .badRequest, problem) }
    do throws(SystemError) {
      try remember(overrides)
    } catch {
      throw ErrorRecord(id: id, .internal, "cannot save the settings: \(error)")
    }
    let settings = effectiveRideSettings
    reply(to: id, client) { writer in
      writer.beginObject()
      for key in RideSettingKey.allCases { writer.member(key.rawValue, key.json(settings[key])) }
      writer.member("overrides", overrides.keys.map(\.rawValue))
      writer.endObject()
    }
  }

  /// The ride follows immediately.
  func remember(_ overrides: RideOverrides) throws(SystemError) {
    guard overrides != rideSettings.overrides else { return }
    try rideSettings.change(to: overrides)
    ride.apply(effectiveRideSettings)
  }
}

// Reads and changes the settings of the ride.

import JSON
import Linux
import Metrics
import Ride
import Serving
import Wire

extension Daemon {
  func rideSettings(_ changes: [JSONValue.Member]) throws(Refusal) -> Answer {
    var overrides = rideSettings.overrides
    if let problem = overrides.apply(changes) { throw Refusal(.badRequest, problem) }
    do throws(SystemError) {
      try remember(overrides)
    } catch {
      throw Refusal(.internal, "cannot save the settings: \(error)")
    }
    let settings = effectiveRideSettings
    return .result { writer in
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

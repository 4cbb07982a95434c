// Reads and changes the rider and the settings of the ride.

import JSON
import Linux
import Metrics
import Ride
import Serving
import Vocabulary
import Wire

final class RiderRequests {
  private let riders: RiderStore
  private let settings: RideSettingsStore
  private let ride: RideKeeper
  private let publisher: Publisher
  private var configured: RideSettings

  init(
    _ riders: RiderStore, _ settings: RideSettingsStore, ride: RideKeeper, _ publisher: Publisher,
    configured: RideSettings
  ) {
    (self.riders, self.settings, self.ride, self.publisher) = (riders, settings, ride, publisher)
    self.configured = configured
  }

  var rider: Rider { riders.rider }
  var overrides: RideOverrides { settings.overrides }

  /// The administrator has changed the configuration.
  func configure(_ new: RideSettings) {
    configured = new
    ride.apply(effective)
  }

  /// The configuration, and what the rider has set on the road.
  private var effective: RideSettings { settings.overrides.applied(to: configured) }

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
    publisher.publish(RiderChangeRecord())
  }

  func rideSettings(_ changes: [JSONValue.Member]) throws(Refusal) -> Answer {
    var overrides = settings.overrides
    if let problem = overrides.apply(changes) { throw Refusal(.badRequest, problem) }
    try saving { () throws(SystemError) in try remember(overrides) }
    let effective = effective
    return .result { writer in
      writer.beginObject()
      for setting in Setting.ofRide { writer.member(setting.key, effective[setting]) }
      writer.member("overrides", overrides.keys)
      writer.endObject()
    }
  }

  /// The ride follows immediately.
  func remember(_ overrides: RideOverrides) throws(SystemError) {
    guard overrides != settings.overrides else { return }
    try settings.change(to: overrides)
    ride.apply(effective)
  }
}

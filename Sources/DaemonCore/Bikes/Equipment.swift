// The rider's bikes, and what their settings mean for the sensors that have none of their own.

import JSON
import Linux
import Metrics
import Ride
import SensorKit
import Serving
import Wire

final class Equipment {
  private let store: BikeStore
  private let ride: RideKeeper
  private let roster: Roster
  private let plugins: PluginShelf
  /// Called when sensors may have got other settings from their bikes.
  var changed: () -> Void = {}

  init(_ store: BikeStore, _ roster: Roster, ride: RideKeeper, plugins: PluginShelf) {
    self.store = store
    self.roster = roster
    self.ride = ride
    self.plugins = plugins
    ride.apply(store.bikes)
  }

  var bikes: [Bike] { store.bikes }

  var currentBike: Bike? { ride.currentBike.map { store.bikes[$0] } }

  func remember(_ new: [Bike], renamed: (from: String, to: String)? = nil) throws(SystemError) {
    guard new != store.bikes else { return }
    try store.change(to: new)
    ride.apply(new, renamed: renamed)
    changed()
  }

  /// Omits forgotten sensors. A sensor that is paired again is listed again.
  var records: [BikeRecord] {
    store.bikes.map { bike in
      var record = bike.record
      record.sensors.removeAll { roster.sensor($0) == nil }
      return record
    }
  }
}

// MARK: Requests

extension Equipment {
  func bike(_ parameters: BikeParameters) throws(Refusal) -> Answer {
    if let name = parameters.name {
      let changed = try changing(store.bikes, name, parameters)
      try saving { () throws(SystemError) in
        try remember(changed, renamed: parameters.newName.map { (name, $0) })
      }
    }
    var reply = BikesReply()
    reply.bikes = records
    reply.current = currentBike?.name
    return .reply(reply)
  }

  private func changing(
    _ bikes: [Bike], _ name: String, _ parameters: BikeParameters
  ) throws(Refusal) -> [Bike] {
    var changed = bikes
    let index = bikes.firstIndex { $0.name == name }
    if parameters.isRemoved {
      guard let index else { throw Refusal(.badRequest, "no bike is called \(name)") }
      changed.remove(at: index)
      return changed
    }
    var bike = index.map { bikes[$0] } ?? Bike(name: name)
    if let newName = parameters.newName {
      guard newName == name || !bikes.contains(where: { $0.name == newName }) else {
        throw Refusal(.badRequest, "another bike is called \(newName)")
      }
      bike.name = newName
    }
    for sensor in parameters.sensors ?? [] { _ = try roster.require(sensor) }
    // `records` hides forgotten sensors, so a client that omits them does not mean to remove
    // them. They go only if the list would be too long.
    let hidden = bike.sensors.filter { roster.sensor($0) == nil }
    if let sensors = parameters.sensors {
      try bike.apply(sensors: sensors + hidden.prefix(max(0, BikeStore.mostSensors - sensors.count)))
    }
    try bike.apply(settings: parameters.settings)
    guard let index else {
      guard bikes.count < BikeStore.capacity else {
        throw Refusal(reached: .bikes, "there are \(BikeStore.capacity) bikes, which is the limit: remove one first")
      }
      return bikes + [bike]
    }
    changed[index] = bike
    return changed
  }
}

// MARK: Settings for sensors

extension Equipment {
  /// The sensor with its bike's settings. If several bikes have the sensor, the current bike
  /// counts.
  func effective(_ sensor: PairedSensor) -> PairedSensor {
    let owners = store.bikes.filter { $0.sensors.contains(sensor.id) }
    let ridden = currentBike?.name
    guard let bike = owners.count == 1 ? owners[0] : owners.first(where: { $0.name == ridden }) else { return sensor }
    var effective = sensor
    if sensor.values[.circumference] == nil {
      effective.values.set(.circumference, toNumber: bike.settings.number(.circumference))
    }
    effective.setTire(sensor.tire.filled(from: bike.tire(sensor.role)))
    return effective
  }

  /// Registers the sensor in the ride, with its bike's settings. Returns the settings for its
  /// plugins, with the measured circumference if the sensor uses it.
  func equip(_ sensor: PairedSensor) -> SensorSettings {
    let effective = effective(sensor)
    register(effective)
    return settings(of: effective)
  }

  /// The settings of a registered sensor, once its wheel was measured again.
  func measuredSettings(of sensor: PairedSensor) -> SensorSettings { settings(of: effective(sensor)) }

  private func register(_ sensor: PairedSensor) {
    let plugins = plugins.registry.plugins(continuing: sensor.plugins)
    var rolling = RideSensor(
      id: sensor.id, priority: Int(sensor.values.number(.priority) ?? 0),
      circumferenceM: sensor.values.number(.circumference).map { $0 / 1000 })
    rolling.tire = sensor.tire
    rolling.role = sensor.role
    rolling.measuresPower = plugins.isEmpty || plugins.contains { $0.info.kinds.contains(.power) }
    rolling.usesMeasuredSize = sensor.usesMeasuredSize
    ride.register(rolling)
  }

  private func settings(of sensor: PairedSensor) -> SensorSettings {
    var settings = sensor.settings
    if sensor.usesMeasuredSize, let size = ride.usedMM(of: sensor.id) { settings.circumferenceMM = size }
    return settings
  }
}

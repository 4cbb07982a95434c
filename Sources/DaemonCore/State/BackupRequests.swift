// `export` and `import`: sensors, rider, bikes and the settings of the ride as one JSON object.

import JSON
import Linux
import Metrics
import ProgramKit
import Ride
import Serving
import Vocabulary
import Wire

struct BackupRequests {
  let sensors: SensorKeeper
  let pairing: PairingKeeper
  let equipment: Equipment
  let rider: RiderRequests
  let ride: RideKeeper
  let stateChange: StateChange
  let release: String
  let log: Log

  private var roster: Roster { sensors.roster }

  func export() throws(Refusal) -> Answer {
    var writer = JSONWriter()
    writeBackup(into: &writer)
    // An import must fit into one request line.
    guard writer.bytes.count <= LineSplitter.protocolLimit - Call.envelope else {
      let text = "the export is longer than a line of the protocol: shorten names of sensors, or forget unused ones"
      throw Refusal(reached: .line, text)
    }
    return .result(writeBackup)
  }

  private func writeBackup(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("version", Backup.version)
    writer.member("release", release)
    writer.member("sensors")
    writer.beginArray()
    for sensor in roster.sensors { sensor.write(into: &writer, measuredMM: ride.measuredMM(of: sensor.id)) }
    writer.endArray()
    writer.member("rider")
    rider.rider.write(into: &writer)
    writer.member("ride_settings")
    writer.beginObject()
    rider.overrides.writeMembers(into: &writer)
    writer.endObject()
    writer.member("bikes")
    equipment.records.write(into: &writer)
    writer.endObject()
  }

  func importBackup(_ json: JSONValue) throws(Refusal) -> Answer {
    let backup = try Backup(json)
    guard pairing.connections.isEmpty else {
      throw Refusal(.busy, "a sensor is being paired or inspected: import again when that has ended")
    }
    let merged = SensorMerge(of: backup.sensors ?? [], into: roster.sensors)
    guard merged.sensors.count <= Roster.capacity else {
      let text =
        "\(merged.sensors.count) sensors would be paired, and \(Roster.capacity) is the limit: forget some first"
      throw Refusal(reached: .sensors, text)
    }
    if let (first, second) = merged.sensors.namesakes(of: merged.added + merged.changed) {
      let text = "name '\(second.name)' is used by both \(first.id) and \(second.id)"
      throw Refusal(.badRequest, text)
    }
    let bikes = try translated(backup.bikes, by: merged)
    do throws(SystemError) {
      try remember(backup, bikes, merged)
    } catch {
      let outcome = stateChange.undo() ? ", and nothing has changed" : "; the next start of the daemon completes it"
      throw Refusal(.internal, "cannot save the import\(outcome): \(error)")
    }
    // Bikes are in place by now, so each session starts with the settings of its bike.
    for sensor in merged.sensors where merged.added.contains(sensor.id) {
      sensors.begin(sensor)
      sensors.publish(.added, sensor)
    }
    for sensor in merged.sensors where merged.changed.contains(sensor.id) {
      sensors.follow(sensor)
      sensors.publish(.changed, sensor)
    }
    log.info("imported: new sensors \(merged.added.count), changed \(merged.changed.count)")
    return .reply(ImportReply(added: merged.added, changed: merged.changed, pairAgain: merged.unbonded))
  }

  /// Saves everything or nothing, even if the power fails meanwhile.
  private func remember(_ backup: Backup, _ newBikes: [Bike]?, _ merged: SensorMerge) throws(SystemError) {
    let (formerRider, formerOverrides) = (rider.rider, rider.overrides)
    let (formerBikes, formerSensors) = (equipment.bikes, roster.sensors)
    stateChange.begin()
    do throws(SystemError) {
      if let new = backup.rider { try rider.remember(new) }
      if let new = backup.rideSettings { try rider.remember(new) }
      if let newBikes { try equipment.remember(newBikes) }
      try roster.replace(with: merged.sensors)
      for sensor in merged.sensors where merged.added.contains(sensor.id) {
        guard let size = backup.measuredMM[sensor.address] else { continue }
        ride.wheels.take(
          measuredMM: size, saidMM: equipment.effective(sensor).values.number(.circumference), of: sensor.id)
      }
      try stateChange.commit()
    } catch {
      // Collects the old contents, for the files that were already replaced.
      stateChange.begin()
      for id in merged.added { ride.wheels.forget(id) }
      try? roster.replace(with: formerSensors)
      try? rider.remember(formerRider)
      try? rider.remember(formerOverrides)
      try? equipment.remember(formerBikes)
      throw error
    }
  }

  /// Replaces the ids of the exporting daemon by the ids used here.
  private func translated(
    _ bikes: [Bike]?, by merged: SensorMerge
  ) throws(Refusal) -> [Bike]? {
    guard var bikes else { return nil }
    for index in bikes.indices {
      for place in bikes[index].sensors.indices {
        let there = bikes[index].sensors[place]
        guard let here = merged.id(of: there) else {
          throw Refusal(.badRequest, "bikes[\(index)]: no sensor is called \(there.prefix(80))")
        }
        bikes[index].sensors[place] = here
      }
    }
    return bikes
  }
}

/// Merges imported sensors into the roster. A sensor with a known address keeps its id and bond,
/// and gets the imported name, settings and enabled flag. Other imported sensors are added. Sensors
/// that are only in the roster stay.
struct SensorMerge {
  private(set) var sensors: [PairedSensor]
  /// Ids used here.
  private(set) var added: [String] = []
  private(set) var changed: [String] = []
  /// Added sensors that were bonded to the other computer. Keys stay with bluetoothd, so these must
  /// be paired again. They are still marked as bonded: the first link then reports the lost bond,
  /// which allows pairing.
  private(set) var unbonded: [String] = []

  /// Maps the ids of the import to the ids used here.
  private var ids: [(there: String, here: String)] = []

  init(of imported: [PairedSensor], into here: [PairedSensor]) {
    sensors = here
    for sensor in imported { merge(sensor) }
  }

  private mutating func merge(_ sensor: PairedSensor) {
    let index = sensors.firstIndex { $0.address == sensor.address }
    let merged = index.map { sensors[$0].taking(sensor) } ?? newcomer(sensor)
    ids.append((sensor.id, merged.id))
    guard let index else {
      added.append(merged.id)
      if merged.isBonded { unbonded.append(merged.id) }
      return sensors.append(merged)
    }
    if sensors[index] != merged { changed.append(merged.id) }
    sensors[index] = merged
  }

  func id(of there: String) -> String? {
    ids.first { $0.there == there }?.here ?? sensors.first { $0.id == there }?.id
  }

  /// Keeps the imported id unless another sensor has it.
  private func newcomer(_ sensor: PairedSensor) -> PairedSensor {
    guard sensors.contains(where: { $0.id == sensor.id }) else { return sensor }
    let id = PairedSensor.makeID(
      name: sensor.deviceName ?? sensor.name, address: sensor.address, fallback: sensor.plugins.first ?? "sensor"
    ) { id in sensors.contains { $0.id == id } }
    var new = PairedSensor(
      id: id, address: sensor.address, name: sensor.deviceName ?? sensor.name, plugins: sensor.plugins)
    new.isBroadcaster = sensor.isBroadcaster
    new.isBonded = sensor.isBonded
    return new.taking(sensor)
  }
}

extension PairedSensor {
  fileprivate func taking(_ other: PairedSensor) -> PairedSensor {
    var merged = self
    merged.name = other.name
    merged.update(deviceName: deviceName ?? name)
    merged.isEnabled = other.isEnabled
    if plugins.isEmpty { (merged.plugins, merged.isBroadcaster) = (other.plugins, other.isBroadcaster) }
    merged.values = other.values
    return merged
  }
}

// Clients that keep sensors disabled while they are connected, because another receiver has them.

import Connections
import Serving
import Wire

extension Daemon {
  func hold(_ parameters: DisableParameters, _ client: Client) throws(Refusal) -> Answer {
    let sensor = try requireSensor(parameters.sensor)
    removeHolds { $0.sensor == sensor.id && $0.belongs(to: client) }
    holds.append(SensorHold(of: sensor.id, for: client, listens: parameters.listen))
    client.isHolding = true
    resume(sensor)
    reconsiderSearch()
    let record = record(of: sensor)
    return .result { record.write(into: &$0) }
  }

  /// Connects the sensor, unless the user or a client has disabled it.
  func resume(_ sensor: PairedSensor) {
    guard let session = session(of: sensor) else { return }
    let isHeld = holds.contains { $0.sensor == sensor.id }
    if sensor.isEnabled, !isHeld {
      session.connection.start()
    } else {
      session.connection.disable(because: sensor.isEnabled ? .elsewhere : .user)
    }
  }

  /// The user's word counts more: who enables or pairs a sensor wants it here.
  func releaseHolds(of sensor: String) { removeHolds { $0.sensor == sensor } }

  func releaseHolds(by client: Client) {
    let held = holds.filter { $0.belongs(to: client) }.map(\.sensor)
    guard !held.isEmpty else { return }
    holds.removeAll { $0.belongs(to: client) }
    for sensor in held { if let sensor = roster.sensor(sensor) { resume(sensor) } }
    reconsiderSearch()
  }

  private func removeHolds(_ isEnded: (SensorHold) -> Bool) {
    let ended = holds.filter(isEnded)
    holds.removeAll(where: isEnded)
    for hold in ended { hold.client?.isHolding = holds.contains { $0.client === hold.client } }
  }
}

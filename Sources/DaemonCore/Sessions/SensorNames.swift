// Names of sensors are unique, ignoring case, because `cyclo` finds sensors by name.

import Radio
import Text
import Wire

extension Roster {
  func require(_ id: String) throws(Refusal) -> PairedSensor {
    guard let sensor = sensor(id) else { throw Refusal(.noSuchSensor, "no sensor is called \(id.prefix(80))") }
    return sensor
  }

  /// The limit keeps the list of sensors within one line.
  func requireCapacity() throws(Refusal) {
    guard sensors.count >= Self.capacity else { return }
    throw Refusal(reached: .sensors, "\(Self.capacity) sensors are paired, which is the limit: forget one first")
  }

  /// Rejects a name that another sensor has.
  func requireFreeName(_ name: String, for address: DeviceAddress) throws(Refusal) {
    guard let other = sensor(called: name, except: address) else { return }
    throw Refusal(.badRequest, "name '\(name)' is already used by \(other.id)")
  }

  /// The name, with a number added if another sensor has it.
  func freeName(_ name: String, for address: DeviceAddress) -> String {
    guard sensor(called: name, except: address) != nil else { return name }
    for number in 2...Self.capacity + 1 {
      let suffix = " \(number)"
      let start = String(name.unicodeScalars.prefix(String.longestName - suffix.count))
      if sensor(called: start + suffix, except: address) == nil { return start + suffix }
    }
    return address.text
  }

  private func sensor(called name: String, except address: DeviceAddress) -> PairedSensor? {
    let wanted = name.lowercased()
    return sensors.first { $0.address != address && $0.name.lowercased() == wanted }
  }
}

extension [PairedSensor] {
  /// Two sensors with the same name. The second is one of `changed`, by id.
  func namesakes(of changed: [String]) -> (PairedSensor, PairedSensor)? {
    for sensor in self where changed.contains(sensor.id) {
      let name = sensor.name.lowercased()
      if let other = first(where: { $0.id != sensor.id && $0.name.lowercased() == name }) { return (other, sensor) }
    }
    return nil
  }
}

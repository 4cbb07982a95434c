// Which numbers the samples of declared sensors have had. The daemon's SENSOR has kinds but no fields,
// and only samples show the fields of a kind that a sensor's file declares.

package import JSON

package struct DeclaredFields: Equatable, Sendable {
  /// Fields of one sensor, against a program that makes up names.
  package static let mostOfSensor = 64

  private var fields: [String: [String: Set<String>]] = [:]

  package init() {}

  /// Whether samples of this kind have to be added.
  package static func areWanted(ofKind kind: String) -> Bool {
    Entity.ofKinds[kind] == nil && !Entity.kindsWithoutEntities.contains(kind)
  }

  /// Adds the numbers of a sample of the sensor. Returns whether its discovery message changes.
  package mutating func add(_ sample: JSONValue, of sensor: String, _ kind: String) -> Bool {
    guard Self.areWanted(ofKind: kind), let members = sample.members else { return false }
    var hasChanged = false
    for member in members where member.value.number != nil {
      guard !names(of: sensor, kind).contains(member.name), Entity(ofDeclared: member.name, kind) != nil,
        count(of: sensor) < Self.mostOfSensor
      else { continue }
      fields[sensor, default: [:]][kind, default: []].insert(member.name)
      hasChanged = true
    }
    return hasChanged
  }

  /// For a sensor that was forgotten.
  package mutating func remove(_ sensor: String) { fields[sensor] = nil }

  func names(of sensor: String, _ kind: String) -> Set<String> { fields[sensor]?[kind] ?? [] }

  private func count(of sensor: String) -> Int { (fields[sensor] ?? [:]).values.reduce(0) { $0 + $1.count } }
}

// `bike`: the bikes, and what belongs to each.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Text
import Wire

func bike(_ session: Session) throws(Failure) {
  let words = session.invocation.words
  let changes = try SettingChange.known(Array(words.dropFirst()), of: .bike)
  let connection = try session.connect(for: .control)
  let answer = try session.ask(connection, .bike())
  let bikes = answer.content.bikes
  guard let word = words.first else {
    return session.isJSON
      ? session.output.line(answer.json.encoded) : list(bikes, ridden: answer.content.current, session)
  }
  // Options that create a bike must not apply to another one that matches a part of the name.
  let isChange = !changes.isEmpty || !session.invocation.texts(.add).isEmpty
  let known = try find(word, among: bikes, byPart: !isChange)
  let sensors = try sensors(of: known, connection, session)
  if session.invocation.has(.remove) {
    guard let known else { throw missing(word, bikes) }
    return try remove(known, connection, session)
  }
  if changes.isEmpty, sensors == nil {
    guard let known else { throw missing(word, bikes) }
    return show(known, session)
  }
  var parameters = BikeParameters(name: known?.name ?? word, sensors: sensors)
  parameters.newName = changes.last { $0.key == SettingKey.nameOfBike.key }?.value?.text
  parameters.settings = changes.filter { $0.key != SettingKey.nameOfBike.key }
    .map { JSONValue.Member($0.key, $0.value ?? "") }
  try change(parameters, isNew: known == nil, connection, session)
}

private func change(
  _ parameters: BikeParameters, isNew: Bool, _ connection: Connection, _ session: Session
) throws(Failure) {
  let name = parameters.newName ?? parameters.name ?? ""
  let result: Received<BikesReply>
  do throws(Failure) {
    result = try session.ask(connection, .bike(parameters))
  } catch {
    throw error.worded(by: SettingKey.ofBike)
  }
  if session.isJSON { return session.output.line(result.json.encoded) }
  if isNew { session.output.note("\(printable(name)) is a new bike.") }
  if let changed = result.content.bikes.first(where: { $0.name == name }) { show(changed, session) }
}

/// By its name; otherwise, if a part is enough, the only bike whose name starts with it or contains
/// it. Case does not matter.
private func find(_ word: String, among bikes: [BikeRecord], byPart: Bool) throws(Failure) -> BikeRecord? {
  if let exact = bikes.first(where: { $0.name == word }) { return exact }
  let wanted = word.lowercased()
  var found = bikes.filter { $0.name.lowercased() == wanted }
  if found.isEmpty, byPart { found = bikes.filter { $0.name.lowercased().hasPrefix(wanted) } }
  if found.isEmpty, byPart { found = bikes.filter { $0.name.lowercased().has(wanted) } }
  guard found.count > 1 else { return found.first }
  let names = found.map(\.name).joined(separator: ", ")
  throw Failure(.failed, "'\(word)' is ambiguous: it matches \(names)", advice: ["Use the whole name"])
}

private func missing(_ word: String, _ bikes: [BikeRecord]) -> Failure {
  let names = bikes.map(\.name)
  let others = names.isEmpty ? "there are no bikes yet" : "known bikes: \(names.joined(separator: ", "))"
  return Failure(
    .failed, "no bike is named '\(word)'; \(others)", advice: ["To create it: cyclo bike '\(word)' --add SENSOR"])
}

/// The new list of sensors; nil if it does not change.
private func sensors(
  of bike: BikeRecord?, _ connection: Connection, _ session: Session
) throws(Failure) -> [String]? {
  let (added, dropped) = (session.invocation.texts(.add), session.invocation.texts(.drop))
  if added.isEmpty, dropped.isEmpty { return nil }
  let paired = try session.sensors(connection)
  var ids = bike?.sensors ?? []
  for word in dropped {
    let id = try sensor(called: word, among: paired).id
    guard ids.contains(id) else { throw Failure(.failed, "\(id) is not one of its sensors") }
    ids.removeAll { $0 == id }
  }
  for word in added {
    let id = try sensor(called: word, among: paired).id
    if !ids.contains(id) { ids.append(id) }
  }
  return ids
}

private func remove(_ bike: BikeRecord, _ connection: Connection, _ session: Session) throws(Failure) {
  let result = try session.ask(connection, .bike(BikeParameters(name: bike.name, isRemoved: true)))
  if session.isJSON { return session.output.line(result.json.encoded) }
  session.output.line("Removed \(printable(bike.name)). Its sensors stay paired.")
}

private func list(_ bikes: [BikeRecord], ridden: String?, _ session: Session) {
  if bikes.isEmpty { return session.output.note("There are no bikes yet. See 'cyclo help bike'.") }
  var table = Table(heading: ["BIKE", "STATE", "SENSORS", "WHEEL", "FRONT", "REAR"], dispensable: ["WHEEL"])
  for bike in bikes {
    func value(_ key: String) -> String {
      bike[key].map { described(JSONValue.Member(key, $0), session.style) } ?? ""
    }
    table.rows.append([
      Cell(bike.name, .strong), Cell(bike.name == ridden ? "current" : "", .good),
      Cell(listed(bike.sensors)),
      Cell(value("circumference_mm")), Cell(value("front_pressure_pa")), Cell(value("rear_pressure_pa")),
    ])
  }
  session.output.table(table)
}

private func show(_ bike: BikeRecord, _ session: Session) {
  if session.isJSON { return session.output.record(bike) }
  session.output.line(
    "\(printable(bike.name)): \(bike.sensors.isEmpty ? "no sensors" : listed(bike.sensors))")
  session.output.settings(SettingKey.ofBike) { $0.key == SettingKey.nameOfBike.key ? .string(bike.name) : bike[$0.key] }
}

extension BikeRecord {
  fileprivate subscript(key: String) -> JSONValue? { settings.last { $0.name == key }?.value }
}

// `complete`: candidates for the word at a shell's cursor. The table provides the fixed words, the
// daemon the rest. Errors are ignored, because completion must stay silent.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Metrics
import SensorKit
import Text
import Time
import Vocabulary
import Wire

func complete(_ session: Session) {
  let completion = Program.cyclo.completion(of: session.invocation.words)
  for candidate in completion.candidates { session.show(candidate, behind: completion.lead) }
  switch completion.wanted {
  case nil: return
  case .file: return session.output.line(":files")
  case .pluginDetail where namesFiles(completion): return session.output.line(":files")
  case let kind?:
    let stem = completion.stem.lowercased()
    for candidate in live(kind, completion, session) where candidate.word.lowercased().hasPrefix(stem) {
      session.show(candidate, behind: completion.lead)
    }
  }
}

extension Session {
  fileprivate func show(_ candidate: Completion.Candidate, behind lead: String) {
    output.line("\(lead)\(printable(candidate.word))\t\(printable(candidate.meaning))")
  }
}

private typealias Candidate = Completion.Candidate

private func live(_ kind: UserWord.Kind, _ completion: Completion, _ session: Session) -> [Candidate] {
  switch kind {
  case .sampleKind: kinds(pairedSensors(completion, session), completion, session)
  case .sensor:
    pairedSensors(completion, session).map { sensor in
      Candidate(sensor.id, sensor.name + (sensor.state.map { ", \($0.text)" } ?? ""))
    }
  case .setting: settings(Setting.ofSensor, completion)
  case .riderSetting: settings(Setting.ofRider, completion)
  case .rideDetail: rideDetails(completion)
  case .bikeSetting: SettingKey.ofBike.map { Candidate("\($0.word)=", $0.meaning) }
  case .bike: bikes(completion, session)
  case .command:
    commands(completion, session).map { Candidate($0.name, $0.summary) }
  case .pluginDetail: pluginDetails(completion, session)
  case .parameter: parameters(completion, session)
  default: []
  }
}

/// The kinds of the paired sensors and of the ride; without a daemon or sensors, all kinds.
private func kinds(_ sensors: [SensorRecord], _ completion: Completion, _ session: Session) -> [Candidate] {
  let spoken = sensors.map { ($0, $0.kinds) }
  var names: [String] = []
  for name in spoken.flatMap(\.1) where !names.contains(name) { names.append(name) }
  if names.isEmpty {
    let declared = declaredPlugins(completion, session).flatMap(\.kinds)
    for name in session.plugins.kinds + declared where !names.contains(name) { names.append(name) }
  }
  let ofSensors = names.map { name in
    Candidate(name, spoken.filter { $0.1.contains(name) }.map(\.0.name).joined(separator: ", "))
  }
  return ofSensors + rideKinds().filter { !names.contains($0) }.map { Candidate($0, "the ride") }
}

extension PluginRegistry {
  /// The kinds of samples of the plugins, and derived ones.
  var allKinds: [String] { kinds + rideKinds() }

  fileprivate var kinds: [String] { plugins.flatMap(\.info.kinds).map(\.name.description) }
}

private func rideKinds() -> [String] { RideKinds.all.map(\.name.description) }

/// The settings, or the words of the one that is being written.
private func settings(_ list: [Setting], _ completion: Completion) -> [Candidate] {
  for setting in list where completion.stem.hasPrefix("\(setting.key)=") {
    switch setting.form {
    case .word(let words): return words.map { Candidate("\(setting.key)=\($0)") }
    case .flag: return ["on", "off"].map { Candidate("\(setting.key)=\($0)") }
    default: break
    }
  }
  return list.map(SettingKey.init).map { Candidate("\($0.word)=", $0.meaning) }
}

private func rideDetails(_ completion: Completion) -> [Candidate] {
  switch completion.arguments.first {
  case "new": completion.arguments.count > 1 ? [] : Sport.allCases.map { Candidate($0.rawValue) }
  case "settings": settings(Setting.ofRide, completion)
  default: []
  }
}

/// Whether the action takes files.
private func namesFiles(_ completion: Completion) -> Bool {
  switch completion.arguments.first.flatMap(PluginAction.init) {
  case .check, .install, .run: true
  case .list, .show, .new, .remove, nil: false
  }
}

private func parameters(_ completion: Completion, _ session: Session) -> [Candidate] {
  guard completion.arguments.count > 1 else { return [] }
  let info = commands(completion, session).first { $0.name == kindName(completion.arguments[1]) }
  return (info?.parameters ?? []).map { Candidate("\($0.name)=", $0.meaning) }
}

/// The commands of the chosen sensor. Those of a sensor that was never connected come from its plugins,
/// of which only the daemon knows those that files declare.
private func commands(_ completion: Completion, _ session: Session) -> [CommandInfo] {
  guard let sensor = chosen(completion, session) else { return [] }
  let known = session.plugins.commands(of: sensor)
  if sensor.commands != nil { return known }
  return known + declaredPlugins(completion, session).filter { sensor.plugins.contains($0.id) }.flatMap(\.commands)
}

private func declaredPlugins(_ completion: Completion, _ session: Session) -> [PluginRecord] {
  (answer(to: .plugins(), for: .read, completion, session)?.plugins ?? []).filter { $0.file != nil }
}

private func chosen(_ completion: Completion, _ session: Session) -> SensorRecord? {
  guard let word = completion.arguments.first else { return nil }
  return try? sensor(called: word, among: pairedSensors(completion, session))
}

private func pairedSensors(_ completion: Completion, _ session: Session) -> [SensorRecord] {
  answer(to: .sensors, for: .read, completion, session)?.sensors ?? []
}

/// One plugin to show, or the file of one to remove.
private func pluginDetails(_ completion: Completion, _ session: Session) -> [Candidate] {
  guard let action = completion.arguments.first.flatMap(PluginAction.init), completion.arguments.count == 1,
    action == .show || action == .remove, let reply = answer(to: .plugins(), for: .read, completion, session)
  else { return [] }
  let plugins = reply.plugins.filter { action == .show || $0.file != nil }.map { Candidate($0.id, $0.title) }
  if action == .show { return plugins }
  let files = reply.omitted.filter { !$0.isSwitchedOff }.map { Candidate(fileName($0.file), "left out") }
  return plugins + files
}

private func bikes(_ completion: Completion, _ session: Session) -> [Candidate] {
  let reply = answer(to: .bike(), for: .control, completion, session)
  return (reply?.bikes ?? []).map { Candidate($0.name, listed($0.sensors)) }
}

/// Nil if the daemon does not answer soon.
private func answer<Reply: WireObject>(
  to query: Query<Reply>, for access: Access, _ completion: Completion, _ session: Session
) -> Reply? {
  let endpoint = completion.text(.socket).map { Endpoint(controlSocket: $0) } ?? session.endpoint
  let end = MonotonicTime.now + .seconds(1)
  guard let connection = try? Connection(to: endpoint, for: access, asking: query.call, within: .seconds(1)) else {
    return nil
  }
  return try? connection.answer(to: Pending(1, query), until: end, other: { _ throws(ClientError) in })?.content
}

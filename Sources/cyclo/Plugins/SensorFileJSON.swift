// The same as an object for programs.

import DeclaredSensors
import JSON
import SensorKit

struct SensorFileJSON {
  let value: JSONValue

  init(path: String, problems: [SensorFileProblem]) {
    value = ["class": "plugin", "file": .string(path), "problems": Self.lines(problems)]
  }

  private static func lines(_ problems: [SensorFileProblem]) -> JSONValue {
    .array(problems.map { ["line": .number(Double($0.line)), "text": .string($0.text)] })
  }

  init(path: String, _ program: SensorProgram) {
    let info = program.info
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    func texts(_ list: [String]) -> JSONValue? { list.isEmpty ? nil : .array(list.map { .string($0) }) }
    add("class", "plugin")
    add("file", .string(path))
    add("id", .string(info.id))
    add("title", .string(info.title))
    add("format", 1)
    add("version", program.about.version.map { .string($0) })
    add("author", program.about.author.map { .string($0) })
    add("source", program.about.source.map { .string($0) })
    add("replaces", program.about.replaces.map { .string($0) })
    add("program_user", program.process.map { .string($0.user) })
    add("services", texts(info.services.map(\.description)))
    add(
      "announced",
      Self.list(info.announcements) { ["service": .string($0.service.description), "name": .string($0.namePrefix)] })
    add("adverts", Self.list(info.adverts) { .object($0.members) })
    add("receives", Self.list(program.sources) { .object($0.members) })
    add("kinds", texts(info.kinds.map(\.name.description)))
    add("events", texts(program.events))
    add("facts", texts(program.facts))
    add("answers", texts(program.answers))
    add("commands", texts(info.commands))
    add("writes", .array(program.writes.map { .object($0.members) }))
    add("program_writes", program.process.flatMap { texts($0.writableServices.map(\.description)) })
    add("problems", [])
    add("warnings", program.warnings.isEmpty ? nil : Self.lines(program.warnings))
    value = .object(members)
  }

  private static func list<Element>(_ list: [Element], _ value: (Element) -> JSONValue) -> JSONValue? {
    list.isEmpty ? nil : .array(list.map(value))
  }
}

extension AdvertPattern {
  fileprivate var members: [JSONValue.Member] {
    var members =
      switch carrier {
      case .manufacturer(let company): [JSONValue.Member("company", .string(companyText(company)))]
      case .serviceData(let uuid): [JSONValue.Member("service_data", .string(uuid.description))]
      case .anyManufacturer: [JSONValue.Member("any_company", true)]
      }
    if !name.isEmpty { members.append(JSONValue.Member(isWholeName ? "name" : "name_prefix", .string(name))) }
    if let service { members.append(JSONValue.Member("service", .string(service.description))) }
    return members
  }
}

extension DeclaredSource {
  fileprivate var members: [JSONValue.Member] {
    let verbs = [(isRead, "read"), (isNotified, "notify"), (isIndicated, "indicate")].filter(\.0).map(\.1)
    return [
      JSONValue.Member("service", .string(service.description)),
      JSONValue.Member("characteristic", .string(characteristic.description)),
      JSONValue.Member("by", .array(verbs.map { .string($0) })),
    ]
  }
}

extension DeclaredWrite {
  fileprivate var members: [JSONValue.Member] {
    var members: [JSONValue.Member] =
      switch occasion {
      case .connected: [JSONValue.Member("when", "connected")]
      case .keepAlive(let interval):
        [JSONValue.Member("when", "keep_alive"), JSONValue.Member("every_s", .number(interval / .seconds(1)))]
      case .disconnecting: [JSONValue.Member("when", "disconnecting")]
      case .command(let name): [JSONValue.Member("when", "command"), JSONValue.Member("command", .string(name))]
      }
    members += [
      JSONValue.Member("service", .string(service.description)),
      JSONValue.Member("characteristic", .string(characteristic.description)),
      JSONValue.Member("bytes", .string(bytes)), JSONValue.Member("line", .number(Double(line))),
    ]
    return members
  }
}

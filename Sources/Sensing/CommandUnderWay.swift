// A user's command: from the bytes that a plugin writes to the sensor's answer. One at a time,
// because sensors have one control point.

import JSON
import Radio
import SensorKit
import Vocabulary
import Wire

struct CommandUnderWay {
  let name: String
  let completion: (Result<JSONValue, Refusal>) -> Void
  /// Whether the sensor sends an answer. Otherwise the command is done once its bytes are written.
  let expectsAnswer: Bool
  /// The plugin whose program makes its bytes, and has not done so yet.
  var process: SensorInfo?
}

extension CommandError {
  func refusal(of command: Command, offered: String) -> Refusal {
    switch self {
    case .notSupported:
      Refusal(.notSupported, "this sensor does not support \(command.name.prefix(64)): \(offered)")
    case .badValue: Refusal(.badRequest, "\(command.name) has other params: see `commands` of the sensor")
    case .busy: Refusal(.busy, "it is busy with another command")
    }
  }
}

extension CommandInfo.Requirement {
  /// An unknown fact rules nothing out.
  func isMet(by facts: [(name: String, value: JSONValue)]) -> Bool {
    let name = fact.name.description
    guard let value = facts.first(where: { $0.name == name })?.value else { return true }
    guard let bit else { return value.bool ?? true }
    return value.integer.map { $0 >> bit & 1 != 0 } ?? true
  }
}

extension SensorInfo {
  /// Whether a sensor with these characteristics supports the commands.
  func takesCommands(_ offered: Set<Endpoint>) -> Bool {
    guard let commandTarget else { return true }
    let known = services + characteristics.map(\.service)
    return offered.contains { $0.characteristic == commandTarget && known.contains($0.service) }
  }

  /// Whether the device has all the characteristics that this plugin requires.
  func canUse(_ offered: Set<Endpoint>) -> Bool {
    characteristics.allSatisfy {
      !$0.isRequired || offered.contains(Endpoint(service: $0.service, characteristic: $0.characteristic))
    }
  }
}

extension [SensorInfo] {
  /// The commands that a sensor with these characteristics supports.
  func commands(for offered: Set<Endpoint>) -> [CommandInfo] {
    filter { $0.takesCommands(offered) }.flatMap(\.offers)
  }
}

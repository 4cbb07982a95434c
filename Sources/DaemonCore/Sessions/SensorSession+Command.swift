// Runs a user's command: from the bytes that a plugin writes to the sensor's answer. One at a time,
// because sensors have one control point.

import EventLoop
import JSON
import Radio
import SensorKit
import Vocabulary
import Wire

/// Why a command failed.
struct CommandFailure: Error {
  let code: ErrorCode
  let message: String

  init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// The command in progress.
struct CommandUnderWay {
  let name: String
  let completion: (Result<JSONValue, CommandFailure>) -> Void
  /// Whether the sensor sends an answer. Otherwise the command is done once its bytes are written.
  let expectsAnswer: Bool
}

extension SensorSession {
  /// Calls `completion` once, unless it throws.
  func command(
    _ command: Command, _ completion: @escaping (Result<JSONValue, CommandFailure>) -> Void
  ) throws(CommandFailure) {
    guard let actions, var trial = host, isSubscribed else {
      let reason = reason.map { ", \($0.rawValue)" } ?? ""
      throw CommandFailure(.notConnected, "it is not connected (\(state.rawValue)\(reason))")
    }
    if let other = commandUnderWay { throw CommandFailure(.busy, "it is busy with \(other.name)") }
    batch.removeAll()
    let expectsAnswer: Bool
    do throws(CommandError) {
      expectsAnswer = try trial.command(command, at: environment.loop.now, into: &batch)
    } catch {
      throw failure(of: command, error)
    }
    guard actions.canDoAll(of: batch) else {
      throw CommandFailure(.notSupported, "this sensor does not support \(command.name): \(offeredCommands)")
    }
    host = trial
    commandUnderWay = CommandUnderWay(name: command.name, completion: completion, expectsAnswer: expectsAnswer)
    actions.add(batch, forCommand: true)
    scheduleTick()
  }

  /// The commands that the characteristics allow and the facts do not rule out; nil until the first
  /// connection.
  var supportedCommands: [CommandInfo]? {
    commands?.filter { $0.requirement?.isMet(by: facts) ?? true }
  }

  private var offeredCommands: String {
    let names = (supportedCommands ?? infos.flatMap(\.offers)).map(\.name)
    return names.isEmpty ? "it supports no commands" : "it supports \(names.joined(separator: ", "))"
  }

  private func failure(of command: Command, _ error: CommandError) -> CommandFailure {
    switch error {
    case .notSupported:
      return CommandFailure(
        .notSupported, "this sensor does not support \(command.name.prefix(64)): \(offeredCommands)")
    case .badValue: return CommandFailure(.badRequest, "\(command.name) has other params: see `commands` of the sensor")
    case .busy: return CommandFailure(.busy, "it is busy with another command")
    }
  }

  /// The sensor answered, or its plugin timed out.
  func answered(_ entry: Batch.Entry) {
    guard commandUnderWay?.expectsAnswer == true else { return }
    let members = entry.fields.map { index in
      JSONValue.Member(batch.field(index).field.name.description, batch.json(batch.field(index).value))
    }
    if members.contains(JSONValue.Member(Field.result.name.description, "timeout")) {
      endCommand(.failure(CommandFailure(.timeout, "it did not answer")))
    } else {
      endCommand(.success(.object(members)))
    }
  }

  /// The bytes of the command were written, or writing failed.
  func wroteCommand(_ failure: LinkFailure?) {
    guard let commandUnderWay else { return }
    if let failure {
      host?.commandFailed()
      endCommand(.failure(CommandFailure(.notSupported, "it rejects the command: \(failure.detail)")))
    } else if !commandUnderWay.expectsAnswer {
      endCommand(.success(.object([])))
    }
  }

  func endCommand(_ outcome: Result<JSONValue, CommandFailure>) {
    guard let command = commandUnderWay else { return }
    commandUnderWay = nil
    command.completion(outcome)
  }
}

extension CommandInfo.Requirement {
  /// An unknown fact rules nothing out.
  fileprivate func isMet(by facts: [(name: String, value: JSONValue)]) -> Bool {
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
    return offered.contains { $0.characteristic == commandTarget && services.contains($0.service) }
  }
}

// `plugin check --command`: the bytes that a command of a sensor's file writes.

import CycloCommands
import DeclaredSensors
import JSON
import SensorKit
import Text
import Time

struct CommandTrial {
  private let session: Session
  private let file: CheckedFile
  private let program: SensorProgram

  init(_ session: Session, _ file: CheckedFile, _ program: SensorProgram) {
    self.session = session
    self.file = file
    self.program = program
  }

  /// Prints each write. Fails if the command does not take the value.
  func run(_ name: String, value: String?) throws(Failure) {
    guard let offer = program.info.offers.first(where: { $0.name == name }) else {
      let known = program.info.offers.map(\.name)
      let offered = known.isEmpty ? "has no commands" : "has the commands \(listed(known))"
      throw Failure(.failed, "no command is called '\(printable(name))': \(printable(file.path)) \(offered)")
    }
    let number = try number(value, for: offer)
    var decoder = DeclaredDecoder(program, settings: SensorSettings())
    var batch = Batch()
    do throws(CommandError) {
      try decoder.command(Command(name: name, value: number), at: MonotonicTime(nanoseconds: 0), into: &batch)
    } catch {
      throw Failure(
        .failed,
        "\(name) does not take \(value.map(printable) ?? "no value"): its bytes cannot hold it, or they need a field "
          + "that a packet keeps")
    }
    if batch.actions.isEmpty { return session.output.note("the program of this sensor makes the bytes of \(name)") }
    for action in batch.actions { show(action, Array(batch.value(of: action)), of: name) }
  }

  private func number(_ value: String?, for offer: CommandInfo) throws(Failure) -> Double? {
    guard let parameter = offer.parameters.first else {
      if let value { throw Failure(usage: .plugin, "\(offer.name) takes no value, not '\(value)'") }
      return nil
    }
    guard let value else {
      throw Failure(usage: .plugin, "\(offer.name) needs a VALUE: \(printable(parameter.meaning))")
    }
    let words = program.words(of: offer.name)
    if let number = words.first(where: { $0.word == value })?.number { return number }
    guard let number = Double(value), number.isFinite else {
      let what = words.isEmpty ? "a number" : "a number or a word"
      throw Failure(usage: .plugin, "'\(value)' is not \(what): \(printable(parameter.meaning))")
    }
    if words.isEmpty ? !parameter.range.contains(number) : !words.contains(where: { $0.number == number }) {
      throw Failure(.failed, "\(offer.name) does not take \(printable(value)): \(printable(parameter.meaning))")
    }
    return number
  }

  private func show(_ action: Batch.Action, _ bytes: [UInt8], of name: String) {
    let text = hexText(bytes)
    if session.isJSON {
      let write: JSONValue = [
        "class": "write", "command": .string(name), "service": .string(action.service.description),
        "characteristic": .string(action.characteristic.description), "bytes": .string(text),
      ]
      session.output.line(write.encoded)
    } else {
      session.output.line("\(action.service) \(action.characteristic): \(text)")
    }
  }
}

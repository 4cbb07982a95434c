// A write of a sensor's file or of its program, in the same words wherever writes are listed.

import DeclaredSensors
import Vocabulary
import Wire

struct WriteText {
  let occasion: String
  let content: String

  var line: String { "\(occasion): \(content)" }

  init(_ write: DeclaredWrite) {
    occasion = write.occasion.text
    content = Self.content(write.service.description, write.characteristic.description, write.bytes)
  }

  init(_ write: PluginWriteRecord) {
    // The occasion may be one of a later release.
    occasion = printable(DeclaredWrite.Occasion(write)?.text ?? write.when?.text ?? "")
    content = Self.content(write.service, write.characteristic, write.bytes)
  }

  init(byProgramTo service: String) {
    occasion = "its program"
    content = "anything to service \(printable(service))"
  }

  private static func content(_ service: String, _ characteristic: String, _ bytes: String) -> String {
    printable("\(service) \(characteristic): \(bytes)")
  }
}

extension DeclaredWrite.Occasion {
  fileprivate init?(_ write: PluginWriteRecord) {
    switch write.when?.known {
    case .connected: self = .connected
    case .keepAlive: self = .keepAlive(every: .seconds(write.everyS ?? 0))
    case .disconnecting: self = .disconnecting
    case .command: self = .command(write.command ?? "")
    case nil: return nil
    }
  }

  fileprivate var text: String {
    switch self {
    case .connected: "when connected"
    case .keepAlive(let interval): "every \(Quantity.short(interval / .seconds(1))) s"
    case .disconnecting: "before disconnecting"
    case .command(let name): "command \(name)"
    }
  }
}

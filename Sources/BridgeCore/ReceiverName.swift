// The receiver's name: the configured one, or one that is made once and kept. Readers know the
// receiver by it.

import Fleet
import JSON
import Linux
import ProgramKit

enum ReceiverName {
  private static let version = 1

  /// The name that the state folder has, or a new one from the id of the computer. A computer without
  /// an id gets a random name.
  static func kept(in folder: String, log: Log, machineID: String? = readMachineID()) -> FleetName {
    let file = StateFile(
      folder + "/receiver.json", version: version, fallback: "the receiver gets its name again", log: log)
    if let name = file.load()?["receiver"]?.text.flatMap({ FleetName($0) }) { return name }
    let name = FleetName(machineID: machineID ?? ProcessEnvironment.randomName())
    do throws(SystemError) {
      try file.save { $0.member("receiver", name.text) }
    } catch {
      log.error("the receiver's name \(name) cannot be saved, and may change: \(error)")
    }
    return name
  }

  private static func readMachineID() -> String? {
    guard let content = try? Files.read("/etc/machine-id", atMost: 64) else { return nil }
    let id = String(decoding: content.filter { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self)
    return id.utf8.count == 32 ? id : nil
  }
}

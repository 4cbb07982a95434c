// The script that unblocks Bluetooth, with a fake sysfs.

import Foundation
import Linux
import TestSupport
import Testing

struct UnblockBluetoothTests {
  private static let script =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../systemd/unblock-bluetooth"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func add(_ index: Int, _ type: String, soft: Int, hard: Int = 0) throws {
    let path = folder.file("sys/class/rfkill/rfkill\(index)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, value) in [("type", type), ("name", "radio\(index)"), ("soft", "\(soft)"), ("hard", "\(hard)")] {
      try Files.replace("\(path)/\(name)", with: Array("\(value)\n".utf8), mode: 0o600)
    }
  }

  private func soft(_ index: Int) throws -> String {
    String(decoding: try Files.read(folder.file("sys/class/rfkill/rfkill\(index)/soft")), as: UTF8.self)
  }

  private func unblock() throws -> (status: Int32, said: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.script)
    process.arguments = [folder.file("sys")]
    process.standardOutput = output
    process.standardError = output
    try withSignalsUnblocked { try process.run() }
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  @Test("only blocked Bluetooth radios are unblocked")
  func unblocks() throws {
    try add(0, "wlan", soft: 1)
    try add(1, "bluetooth", soft: 1)
    try add(2, "bluetooth", soft: 0)
    let result = try unblock()
    #expect(result.status == 0 && result.said == "unblock-bluetooth: radio1 is unblocked\n")
    #expect(try [soft(0), soft(1), soft(2)] == ["1\n", "0\n", "0\n"])
  }

  @Test("a radio blocked by a hardware switch is reported")
  func hardBlock() throws {
    try add(0, "bluetooth", soft: 1, hard: 1)
    let result = try unblock()
    #expect(result.status == 1 && result.said.hasSuffix("radio0 is blocked by a switch of the machine\n"))
    #expect(try soft(0) == "0\n")
  }

  @Test("without rfkill switches there is nothing to do")
  func noSwitch() throws {
    let result = try unblock()
    #expect(result.status == 0 && result.said.isEmpty)
  }
}

// The script that resets an adapter, with a fake sysfs.

import Foundation
import Linux
import TestSupport
import Testing

struct ResetAdapterTests {
  private static let script =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    + "/../../systemd/reset-adapter"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let manager = FileManager.default
    let driver = folder.file("sys/bus/usb/drivers/btusb")
    let device = folder.file("sys/devices/usb1/1-1:1.0")
    for path in [driver, device + "/bluetooth/hci0", folder.file("sys/class/bluetooth/hci0"), folder.file("bin")] {
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try manager.createSymbolicLink(atPath: folder.file("sys/class/bluetooth/hci0/device"), withDestinationPath: device)
    try manager.createSymbolicLink(atPath: device + "/driver", withDestinationPath: driver)
    // Replaces systemctl and records its arguments.
    let systemctl = "#!/bin/sh\necho \"$*\" >\"\(folder.file("asked"))\"\n"
    try Files.replace(folder.file("bin/systemctl"), with: Array(systemctl.utf8), mode: 0o755)
  }

  private func reset(_ request: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    try Files.replace(folder.file("request"), with: Array(request.utf8), mode: 0o600)
    return try resetAsRequested(sourceLocation: sourceLocation)
  }

  private func resetAsRequested(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.script)
    process.arguments = [folder.file("request"), folder.file("sys")]
    process.environment = ["PATH": folder.file("bin") + ":/usr/bin:/bin"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try withSignalsUnblocked { try process.run() }
    process.waitUntilExit()
    #expect(!Files.exists(folder.file("request")), sourceLocation: sourceLocation)
    return process.terminationStatus
  }

  private func content(_ path: String) -> String? {
    (try? Files.read(folder.file(path))).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("an adapter with a driver is unbound and bound again")
  func rebind() throws {
    #expect(try reset("hci0\n") == 0)
    #expect(content("sys/bus/usb/drivers/btusb/unbind") == "1-1:1.0\n")
    #expect(content("sys/bus/usb/drivers/btusb/bind") == "1-1:1.0\n")
    #expect(content("asked") == nil)
  }

  @Test("without a driver, bluetoothd is restarted")
  func noDriver() throws {
    #expect(try reset("hci1\n") == 0)
    #expect(content("asked") == "try-restart bluetooth.service\n")
  }

  @Test(
    "a request that does not name an adapter does nothing",
    arguments: ["", "../../x", "hci0 hci1", "hcix", "hci0; rm -rf /"])
  func invalidRequest(request: String) throws {
    #expect(try reset(request) == 1)
    #expect(content("asked") == nil && content("sys/bus/usb/drivers/btusb/unbind") == nil)
  }

  /// What a compromised daemon could put in place of its request.
  enum Trap: String, CaseIterable { case link, pipe, directory }

  @Test("a link, a pipe or a directory is removed, and neither followed nor read", arguments: Trap.allCases)
  func trap(_ trap: Trap) throws {
    let manager = FileManager.default
    let request = folder.file("request")
    try Files.replace(folder.file("target"), with: Array("hci0\n".utf8), mode: 0o600)
    switch trap {
    case .link: try manager.createSymbolicLink(atPath: request, withDestinationPath: folder.file("target"))
    case .pipe:
      // mkfifo reads a null-terminated string.
      let made = unsafe mkfifo(request, 0o600)
      #expect(made == 0)
    case .directory: try manager.createDirectory(atPath: request + "/inside", withIntermediateDirectories: true)
    }
    #expect(try resetAsRequested() == 1)
    #expect(content("sys/bus/usb/drivers/btusb/unbind") == nil)
    #expect(content("target") == "hci0\n")
  }
}

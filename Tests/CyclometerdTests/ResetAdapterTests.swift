// The script that resets an adapter, on a sysfs made for it.

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
    // Says what it was asked for, in the place of the real one.
    let systemctl = "#!/bin/sh\necho \"$*\" >\"\(folder.file("asked"))\"\n"
    try Files.replace(folder.file("bin/systemctl"), with: Array(systemctl.utf8), mode: 0o755)
  }

  private func reset(_ request: String) throws -> Int32 {
    try Files.replace(folder.file("request"), with: Array(request.utf8), mode: 0o600)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.script)
    process.arguments = [folder.file("request"), folder.file("sys")]
    process.environment = ["PATH": folder.file("bin") + ":/usr/bin:/bin"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try withSignalsUnblocked { try process.run() }
    process.waitUntilExit()
    #expect(!Files.exists(folder.file("request")))
    return process.terminationStatus
  }

  private func content(_ path: String) -> String? {
    (try? Files.read(folder.file(path))).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func oneWithADriverIsTakenFromItAndGivenBack() throws {
    #expect(try reset("hci0\n") == 0)
    #expect(content("sys/bus/usb/drivers/btusb/unbind") == "1-1:1.0\n")
    #expect(content("sys/bus/usb/drivers/btusb/bind") == "1-1:1.0\n")
    #expect(content("asked") == nil)
  }

  @Test func withoutADriverBluetoothdIsRestarted() throws {
    #expect(try reset("hci1\n") == 0)
    #expect(content("asked") == "try-restart bluetooth.service\n")
  }

  @Test(arguments: ["", "../../x", "hci0 hci1", "hcix", "hci0; rm -rf /"])
  func whatNamesNoAdapterDoesNothing(request: String) throws {
    #expect(try reset(request) == 1)
    #expect(content("asked") == nil && content("sys/bus/usb/drivers/btusb/unbind") == nil)
  }
}

// What the kernel says of rfkill, through a pipe in the place of its device.

import EventLoop
import Glibc
import Linux
import TestSupport
import Testing

@testable import BlueZ

/// The kernel's side of the pipe.
final class FakeRFKill {
  static let (added, removed, changed, changedAll): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)
  static let (wifi, bluetooth): (UInt8, UInt8) = (1, 2)

  let folder: TemporaryFolder
  var device: String { folder.file("rfkill") }
  var names: String { folder.file("names") }
  /// Open for reading too, so that the pipe has no end before it has a beginning.
  private let kernel: FileDescriptorBox

  init() throws {
    folder = try TemporaryFolder()
    let device = folder.file("rfkill")
    // The paths are read within the calls.
    #expect(unsafe mkfifo(device, 0o600) == 0)
    kernel = FileDescriptorBox(FileDescriptor(owning: unsafe open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC)))
    for (index, name) in ["hci0\n", "phy0\n", "hci1\n"].enumerated() {
      try Files.makeFolder(folder.file("names/rfkill\(index)"), mode: 0o700)
      try Files.replace(folder.file("names/rfkill\(index)/name"), with: Array(name.utf8), mode: 0o600)
    }
  }

  func say(_ bytes: [UInt8]) throws {
    _ = try writeDescriptor(kernel.number, bytes.span)
  }

  func say(
    _ index: UInt8, _ operation: UInt8, of type: UInt8 = bluetooth, soft: UInt8 = 0, hard: UInt8 = 0
  ) throws {
    try say([index, 0, 0, 0, type, operation, soft, hard])
  }
}

struct RadioSwitchesTests {
  let loop: EventLoop
  let rfkill: FakeRFKill

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
    rfkill = try FakeRFKill()
  }

  private func makeSwitches() -> RadioSwitches {
    RadioSwitches(loop: loop, device: rfkill.device, names: rfkill.names)
  }

  private func say(
    _ index: UInt8, _ operation: UInt8, of type: UInt8 = FakeRFKill.bluetooth, soft: UInt8 = 0, hard: UInt8 = 0
  ) throws {
    try rfkill.say(index, operation, of: type, soft: soft, hard: hard)
    _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
  }

  @Test func whatThereIsIsKnownAtOnce() throws {
    try say(0, FakeRFKill.added, soft: 1)
    try say(2, FakeRFKill.added)
    let switches = makeSwitches()
    #expect(switches.isBlocked("hci0") == true)
    #expect(switches.isBlocked("hci1") == false)
    #expect(switches.isBlocked("hci2") == nil)
  }

  @Test func changesAreSaid() throws {
    let switches = makeSwitches()
    var changes = 0
    switches.onChange = { changes += 1 }
    try say(0, FakeRFKill.added)
    #expect(switches.isBlocked("hci0") == false && changes == 1)
    try say(0, FakeRFKill.changed, hard: 1)
    #expect(switches.isBlocked("hci0") == true && changes == 2)
    try say(0, FakeRFKill.changed, soft: 1, hard: 1)
    #expect(changes == 2, "blocked is blocked")
    try say(0, FakeRFKill.changed)
    #expect(switches.isBlocked("hci0") == false && changes == 3)
    try say(0, FakeRFKill.removed)
    #expect(switches.isBlocked("hci0") == nil && changes == 4)
  }

  @Test func otherRadiosAndUnknownWordsArePassedOver() throws {
    let switches = makeSwitches()
    var changes = 0
    switches.onChange = { changes += 1 }
    try say(1, FakeRFKill.added, of: FakeRFKill.wifi, soft: 1)
    try say(0, FakeRFKill.changedAll, soft: 1)
    try say(0, 77, soft: 1)
    try say(9, FakeRFKill.added, soft: 1)
    #expect(changes == 0)
    #expect(switches.isBlocked("hci0") == nil && switches.isBlocked("phy0") == nil)
  }

  @Test func withoutTheDeviceNothingIsKnown() throws {
    let switches = RadioSwitches(loop: loop, device: rfkill.folder.file("none"), names: rfkill.names)
    #expect(switches.isBlocked("hci0") == nil)
    #expect(loop.watchCount == 0)
  }

  @Test func aDeviceThatEndsIsLetGo() throws {
    let switches = makeSwitches()
    try say(0, FakeRFKill.added, soft: 1)
    try rfkill.say([1, 2, 3])
    _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
    #expect(loop.watchCount == 0)
    #expect(switches.isBlocked("hci0") == true, "what was known last")
  }
}

// The kernel's rfkill events, through a pipe in place of the device.

import EventLoop
import Glibc
import Linux
import TestSupport
import Testing
import Time

@testable import BlueZ

/// The kernel's side of the pipe.
final class FakeRFKill {
  static let (added, removed, changed, changedAll): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)
  static let (wifi, bluetooth): (UInt8, UInt8) = (1, 2)

  let folder: TemporaryFolder
  var device: String { folder.file("rfkill") }
  var names: String { folder.file("names") }
  /// Also open for reading, so that the pipe does not end before its first event.
  private let kernel: FileDescriptorBox

  init(sourceLocation: SourceLocation = #_sourceLocation) throws {
    folder = try TemporaryFolder()
    let device = folder.file("rfkill")
    // The calls only read the paths.
    #expect(unsafe mkfifo(device, 0o600) == 0, sourceLocation: sourceLocation)
    kernel = FileDescriptorBox(FileDescriptor(owning: unsafe open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC)))
    for (index, name) in ["hci0\n", "phy0\n", "hci1\n"].enumerated() {
      try Files.createDirectory(folder.file("names/rfkill\(index)"), mode: 0o700)
      try Files.replace(folder.file("names/rfkill\(index)/name"), with: Array(name.utf8), mode: 0o600)
    }
  }

  func send(_ bytes: [UInt8]) throws {
    _ = try writeDescriptor(kernel.number, bytes.span)
  }

  func send(
    _ index: UInt8, _ operation: UInt8, of type: UInt8 = bluetooth, soft: UInt8 = 0, hard: UInt8 = 0
  ) throws {
    try send([index, 0, 0, 0, type, operation, soft, hard])
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

  private func send(
    _ index: UInt8, _ operation: UInt8, of type: UInt8 = FakeRFKill.bluetooth, soft: UInt8 = 0, hard: UInt8 = 0
  ) throws {
    try rfkill.send(index, operation, of: type, soft: soft, hard: hard)
    _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
  }

  @Test("the initial state is known at once")
  func initialState() throws {
    try send(0, FakeRFKill.added, soft: 1)
    try send(2, FakeRFKill.added)
    let switches = makeSwitches()
    #expect(switches.isBlocked("hci0") == true)
    #expect(switches.isBlocked("hci1") == false)
    #expect(switches.isBlocked("hci2") == nil)
  }

  @Test("each change between blocked and unblocked is reported")
  func changes() throws {
    let switches = makeSwitches()
    var changes = 0
    switches.onChange = { changes += 1 }
    try send(0, FakeRFKill.added)
    #expect(switches.isBlocked("hci0") == false && changes == 1)
    try send(0, FakeRFKill.changed, hard: 1)
    #expect(switches.isBlocked("hci0") == true && changes == 2)
    try send(0, FakeRFKill.changed, soft: 1, hard: 1)
    #expect(changes == 2, "already blocked")
    try send(0, FakeRFKill.changed)
    #expect(switches.isBlocked("hci0") == false && changes == 3)
    try send(0, FakeRFKill.removed)
    #expect(switches.isBlocked("hci0") == nil && changes == 4)
  }

  @Test("other radios and unknown operations are ignored")
  func ignoredEvents() throws {
    let switches = makeSwitches()
    var changes = 0
    switches.onChange = { changes += 1 }
    try send(1, FakeRFKill.added, of: FakeRFKill.wifi, soft: 1)
    try send(0, FakeRFKill.changedAll, soft: 1)
    try send(0, 77, soft: 1)
    try send(9, FakeRFKill.added, soft: 1)
    #expect(changes == 0)
    #expect(switches.isBlocked("hci0") == nil && switches.isBlocked("phy0") == nil)
  }

  @Test("without the rfkill device the state is unknown")
  func noDevice() throws {
    let switches = RadioSwitches(loop: loop, device: rfkill.folder.file("none"), names: rfkill.names)
    #expect(switches.isBlocked("hci0") == nil)
    #expect(loop.watchCount == 0)
  }

  @Test("an invalid event stops the watch, and the last state is kept")
  func invalidEvent() throws {
    let switches = makeSwitches()
    try send(0, FakeRFKill.added, soft: 1)
    try rfkill.send([1, 2, 3])
    _ = try loop.run(until: loop.now + .milliseconds(1)) { false }
    #expect(loop.watchCount == 0)
    #expect(switches.isBlocked("hci0") == true, "the last known state")
  }
}

// What the daemon requires of the kernel: descriptors, timers, signals and files.

import CLinux
import Linux
import TestSupport
import Testing
import Time

struct DescriptorTests {
  /// Checked at the other end, because another test can reuse a closed number at once.
  @Test("a descriptor closes with its owner unless it is released")
  func descriptorClosesWithOwnerUnless() throws {
    let pair = try PacketPair()
    var spare: Int32 = -1
    let near = pair.keepNear { far in spare = (try? far.duplicate().release()) ?? -1 }
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(try near.read(into: &buffer) == .wouldBlock)
    _ = FileDescriptor(owning: spare)
    #expect(try near.read(into: &buffer) == .done(0))
  }

  @Test("descriptors do not leak into other programs")
  func descriptorsDoNotLeak() throws {
    let pair = try PacketPair()
    let epoll = try Epoll()
    let timer = try TimerDescriptor()
    for number in [pair.near.number, pair.far.number, timer.descriptor.number] {
      #expect(cyclometer_fcntl(number, F_GETFD, 0) & FD_CLOEXEC != 0)
    }
    _ = consume epoll
  }

  @Test("epoll returns the token, and reports hang-up without being asked")
  func epollReturnsTokenAndReports() throws {
    var epoll = try Epoll()
    let pair = try PacketPair()
    try epoll.add(pair.near.number, [], token: 0xfeed_0000_0007)
    #expect(try epoll.wait(milliseconds: 0) == 0)
    let near = pair.keepNear { _ in }
    #expect(try epoll.wait(milliseconds: 0) == 1)
    let event = epoll.event(0)
    #expect(event.token == 0xfeed_0000_0007)
    #expect(event.ready == .hangUp)
    try epoll.remove(near.number)
    #expect(try epoll.wait(milliseconds: 0) == 0)
  }

  @Test("a closed descriptor leaves epoll by itself")
  func closedDescriptorLeavesEpoll() throws {
    var epoll = try Epoll()
    do {
      let pair = try PacketPair()
      try epoll.add(pair.near.number, .writable, token: 1)
      #expect(try epoll.wait(milliseconds: 0) == 1)
    }
    #expect(try epoll.wait(milliseconds: 0) == 0)
  }

  @Test("a timer in the past is ready at once")
  func timerInPastReady() throws {
    var epoll = try Epoll()
    let timer = try TimerDescriptor()
    try epoll.add(timer.descriptor.number, .readable, token: 1)
    try timer.arm(at: MonotonicTime(nanoseconds: 0))
    #expect(try epoll.wait(milliseconds: 10_000) == 1)
    try timer.acknowledge()
    #expect(try epoll.wait(milliseconds: 0) == 0)
    try timer.arm(at: MonotonicTime.now + .seconds(3600))
    #expect(try epoll.wait(milliseconds: 0) == 0)
    try timer.arm(at: nil)
    try timer.acknowledge()
  }

  /// Sent to this thread only: the other threads of the process do not block the signal.
  @Test("a signal is read and does not end the process")
  func signalRead() throws {
    let signals = try SignalDescriptor([.hangUp])
    #expect(try signals.next() == nil)
    #expect(raise(SIGHUP) == 0)
    #expect(try signals.next() == .hangUp)
    #expect(try signals.next() == nil)
  }

  @Test("the boot clock never goes back")
  func bootClockNeverGoesBack() {
    var last = MonotonicTime.now
    for _ in 0..<1_000 {
      let next = MonotonicTime.now
      #expect(next >= last)
      last = next
    }
  }
}

struct FileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a link in the place of the new file is not followed", arguments: ["victim", "missing"])
  func linkAtNewFile(target: String) throws {
    let path = folder.file("state")
    try Files.replace(folder.file("victim"), with: Array("precious".utf8), mode: 0o600)
    #expect(unsafe symlink(folder.file(target), path + ".new") == 0)
    try Files.replace(path, with: [1], mode: 0o600)
    #expect(try Files.read(path) == [1])
    #expect(try Files.read(folder.file("victim")) == Array("precious".utf8))
    #expect(try Files.names(in: folder.path) == ["state", "victim"])
  }

  @Test("a pipe in the place of the new file does not block")
  func pipeAtNewFile() throws {
    let path = folder.file("state")
    #expect(unsafe mkfifo(path + ".new", 0o600) == 0)
    try Files.replace(path, with: [1], mode: 0o600)
    #expect(try Files.read(path) == [1])
  }

  @Test("a lock or a created file is never a link")
  func linksAtLockAndCreatedFile() throws {
    let link = folder.file("link")
    #expect(unsafe symlink(folder.file("victim"), link) == 0)
    #expect(throws: SystemError.self) { _ = try Files.lock(link) }
    #expect(throws: SystemError.self) { _ = try Files.create(link, mode: 0o600) }
    #expect(!Files.exists(folder.file("victim")))
  }

  @Test(
    "a folder is safe if no other user may write to it",
    arguments: [
      (0o700, true), (0o755, true), (0o777, false), (0o1777, false), (0o702, false),
    ] as [(mode_t, Bool)])
  func exposedModes(mode: mode_t, isSafe: Bool) throws {
    let path = folder.file("runtime")
    try Files.createDirectory(path, mode: 0o700)
    #expect(unsafe chmod(path, mode) == 0)
    #expect(try Files.exposure(ofFolder: path) == (isSafe ? nil : .writable(mode: UInt32(mode))))
  }

  @Test("a folder or a link of another user is not safe", .enabled(if: geteuid() == 0, "only root gives files away"))
  func exposedOwners() throws {
    let (path, link) = (folder.file("runtime"), folder.file("link"))
    try Files.createDirectory(path, mode: 0o700)
    #expect(unsafe symlink(path, link) == 0)
    #expect(try Files.exposure(ofFolder: link) == nil)
    #expect(unsafe lchown(link, 12345, gid_t.max) == 0)
    for end in ["", "/", "//"] { #expect(try Files.exposure(ofFolder: link + end) == .owned(byUser: 12345)) }
    #expect(unsafe chown(path, 12346, gid_t.max) == 0)
    #expect(try Files.exposure(ofFolder: path) == .owned(byUser: 12346))
    // Another group can write.
    #expect(unsafe chown(path, 0, 12345) == 0)
    #expect(unsafe chmod(path, 0o770) == 0)
    #expect(try Files.exposure(ofFolder: path) == .writable(mode: 0o770))
    #expect(unsafe chown(path, 0, getegid()) == 0)
    #expect(try Files.exposure(ofFolder: path) == nil)
  }

  @Test("a replaced file is the old or the new one, never a mixture")
  func replacedFileOldOrNew() throws {
    let path = folder.file("state")
    try Files.replace(path, with: Array("old".utf8), mode: 0o600)
    let reader = unsafe FileDescriptor(owning: cyclometer_open(path, O_RDONLY, 0))
    try Files.replace(path, with: Array("newer".utf8), mode: 0o600)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(try reader.read(into: &buffer) == .done(3), "a reader of the old file still sees all of it")
    #expect(try Files.read(path) == Array("newer".utf8))
    #expect(try Files.names(in: folder.path) == ["state"])
  }

  @Test("the remains of an interrupted write do no harm")
  func remainsOfInterruptedWrite() throws {
    let path = folder.file("state")
    try Files.replace(path + ".new", with: Array("a longer leftover".utf8), mode: 0o600)
    try Files.replace(path, with: [1], mode: 0o600)
    #expect(try Files.read(path) == [1])
  }

  @Test("an error names the path")
  func errorNamesPath() throws {
    let path = folder.file("missing/state")
    let error = #expect(throws: SystemError.self) { try Files.replace(path, with: [1], mode: 0o600) }
    #expect(error?.subject == path)
    #expect(error?.call == "open")
  }

  @Test("directories are created with their parents")
  func directoriesCreatedWithTheirParents() throws {
    try Files.createDirectory(folder.file("a/b/c"), mode: 0o700)
    try Files.createDirectory(folder.file("a/b/c"), mode: 0o700)
    #expect(try Files.names(in: folder.file("a/b")) == ["c"])
    #expect(try Files.names(in: folder.file("none")) == [])
  }

  @Test("a file that is too large is refused")
  func fileThatTooLargeRefused() throws {
    let path = folder.file("large")
    try Files.replace(path, with: [UInt8](repeating: 0, count: 1_000), mode: 0o600)
    #expect(throws: SystemError.self) { _ = try Files.read(path, atMost: 999) }
    #expect(try Files.read(path, atMost: 1_000).count == 1_000)
  }

  @Test("a lock has one owner")
  func lockHasOneOwner() throws {
    let path = folder.file("lock")
    func isFree() throws -> Bool { try Files.lock(path) != nil }
    do {
      let held = try Files.lock(path)
      let (isHeld, isFree) = (held != nil, try isFree())
      #expect(isHeld && !isFree)
    }
    #expect(try isFree())
  }
}

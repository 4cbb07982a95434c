// A small file system in memory, which a test can fill to its last block, or make read-only.

internal import Glibc
internal import Linux

public final class SmallDisk {
  public struct NoPrivilege: Error {}

  private let folder: TemporaryFolder
  private static let filler = "filler"

  public var path: String { folder.path }

  /// Throws without the privilege to mount.
  public init(bytes: Int) throws {
    folder = try TemporaryFolder()
    guard Self.mount("size=\(bytes),mode=0700", on: folder.path, flags: 0) else { throw NoPrivilege() }
  }

  deinit {
    // The logbook may still be open.
    _ = unsafe umount2(folder.path, Int32(MNT_DETACH))
  }

  public static let isAvailable = (try? SmallDisk(bytes: 1 << 20)) != nil

  /// Like a card whose file system the kernel protects after an error. Files that are open keep it
  /// from that.
  public func setReadOnly(_ isReadOnly: Bool) throws {
    let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
    guard Self.mount("", on: folder.path, flags: flags) else { throw NoPrivilege() }
  }

  private static func mount(_ options: String, on path: String, flags: UInt) -> Bool {
    let options = Array(options.utf8) + [0]
    return unsafe options.withUnsafeBytes { unsafe Glibc.mount("tmpfs", path, "tmpfs", flags, $0.baseAddress) } == 0
  }

  /// A file that takes so much space.
  public static func allocate(_ path: String, _ bytes: Int) throws {
    let file = try Files.create(path, mode: 0o600)
    let code = posix_fallocate(file.number, 0, bytes)
    guard code == 0 else { throw SystemError(call: "posix_fallocate", code: code) }
  }

  /// Leaves no block.
  public func fill() throws {
    try empty()
    try Self.allocate(folder.file(Self.filler), Int(Files.space(at: path)))
  }

  public func empty() throws {
    if Files.exists(folder.file(Self.filler)) { try remove(Self.filler) }
  }

  /// Removes a file, and waits until its space is free: a process that another test has just forked keeps
  /// every open file until it runs its program. A second at most, because others may take the space at once.
  public func remove(_ name: String) throws {
    let file = folder.file(name)
    let wanted = try Files.space(at: path) + (Files.size(of: file) ?? 0)
    try Files.remove(file)
    for _ in 0..<1000 {
      if try Files.space(at: path) >= wanted { return }
      usleep(1000)
    }
  }
}

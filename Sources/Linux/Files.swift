// Reads and replaces whole small files. A power failure during a replacement leaves either the old
// or the new content.

internal import CLinux

public enum Files {
  public static func read(_ path: String, atMost limit: Int = 16 << 20) throws(SystemError) -> [UInt8] {
    do throws(SystemError) {
      let file = try open(path, O_RDONLY, mode: 0)
      var content: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while case .done(let count) = try file.read(into: &chunk), count > 0 {
        content += chunk[..<count]
        if content.count > limit { throw SystemError(call: "read", code: EFBIG) }
      }
      return content
    } catch {
      throw error.about(path)
    }
  }

  /// Streams the file in chunks, so that its size does not matter.
  public static func stream(_ path: String, _ take: (ArraySlice<UInt8>) -> Void) throws(SystemError) {
    do throws(SystemError) {
      let file = try open(path, O_RDONLY, mode: 0)
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while case .done(let count) = try file.read(into: &chunk), count > 0 { take(chunk[..<count]) }
    } catch {
      throw error.about(path)
    }
  }

  /// Creates a new file for writing; fails if it exists.
  public static func create(_ path: String, mode: UInt32) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    } catch {
      throw error.about(path)
    }
  }

  /// For a device that reports events: reads do not block.
  public static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try open(path, O_RDONLY | O_NONBLOCK, mode: 0)
    } catch {
      throw error.about(path)
    }
  }

  /// Writes a second file and syncs it, renames it, then syncs the directory.
  public static func replace(_ path: String, with content: [UInt8], mode: UInt32) throws(SystemError) {
    let beside = path + ".new"
    do throws(SystemError) {
      // Left over from a power failure, or a link that another user placed there.
      if unsafe unlink(beside) != 0, cyclometer_errno() != ENOENT {
        throw SystemError(call: "unlink", code: cyclometer_errno())
      }
      let file = try open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
      var written = 0
      while written < content.count {
        if case .done(let count) = try file.write(content.span.extracting(written...)) { written += count }
      }
      try systemCall("fsync") { fsync(file.number) }
      try systemCall("rename") { unsafe CLinux.rename(beside, path) }
      let folder = try open(parent(of: path), O_RDONLY | O_DIRECTORY, mode: 0)
      try systemCall("fsync") { fsync(folder.number) }
    } catch {
      throw error.about(path)
    }
  }

  /// Runs a change whose modes are exact, whatever the user's umask is. For programs with one thread.
  public static func withExactModes<Failure: Error>(_ change: () throws(Failure) -> Void) throws(Failure) {
    let mask = umask(0)
    defer { umask(mask) }
    try change()
  }

  public static func rename(_ old: String, to new: String) throws(SystemError) {
    try systemCall("rename") { unsafe CLinux.rename(old, new) }
  }

  public static func remove(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try systemCall("unlink") { unsafe unlink(path) }
    } catch {
      throw error.about(path)
    }
  }

  /// Makes a rename or a new file in the directory survive a power failure.
  public static func syncDirectory(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      let folder = try open(path, O_RDONLY | O_DIRECTORY, mode: 0)
      try systemCall("fsync") { fsync(folder.number) }
    } catch {
      throw error.about(path)
    }
  }

  public static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  public static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && Int32(bitPattern: status.st_mode) & S_IFMT == S_IFDIR
  }

  /// Whether two paths lead to one file or folder.
  public static func areSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Another one after each change of a file, and for a file that has replaced it. Nil without a file.
  public static func revision(of path: String) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    // Programs can set the time of the last modification, but not that of the last change.
    let change = status.st_ctim
    let numbers = [Int(truncatingIfNeeded: status.st_ino), change.tv_sec, change.tv_nsec]
    return numbers.map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// Writes into an existing file, such as one of a device, in one call.
  public static func writeInPlace(_ path: String, _ content: [UInt8]) throws(SystemError) {
    do throws(SystemError) {
      _ = try open(path, O_WRONLY | O_NOFOLLOW, mode: 0).write(content.span)
    } catch {
      throw error.about(path)
    }
  }

  /// Whether all users may read and write it.
  public static func isOpenToEveryone(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o006 == 0o006
  }

  /// Whether all users may read it.
  public static func isReadableByEveryone(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o004 != 0
  }

  public static func setMode(_ path: String, _ mode: UInt32) throws(SystemError) {
    do throws(SystemError) {
      try systemCall("chmod") { unsafe chmod(path, mode) }
    } catch {
      throw error.about(path)
    }
  }

  /// Changes the group to one that this user may assign.
  public static func setGroup(_ path: String, _ group: UInt32) throws(SystemError) {
    do throws(SystemError) {
      try systemCall("chown") { unsafe chown(path, uid_t.max, group) }
    } catch {
      throw error.about(path)
    }
  }

  /// Creates the directory and its missing parents.
  public static func createDirectory(_ path: String, mode: UInt32) throws(SystemError) {
    if exists(path) { return }
    let above = parent(of: path)
    if above != path { try createDirectory(above, mode: 0o755) }
    do throws(SystemError) {
      try systemCall("mkdir") { unsafe mkdir(path, mode) }
    } catch {
      guard error.code != EEXIST else { return }
      throw error.about(path)
    }
  }

  /// Why other users could place files or links in a directory; nil if they cannot.
  public enum Exposure: Equatable, Sendable {
    case owned(byUser: UInt32)
    case writable(mode: UInt32)
  }

  /// The directory and a link to it may belong to root or this user, and no other user may write to
  /// it. The user's own group is allowed, because many systems give each user a private group.
  public static func exposure(ofFolder path: String) throws(SystemError) -> Exposure? {
    var (link, folder) = (stat(), stat())
    // With a trailing slash, lstat would follow the link.
    var linkPath = path
    while linkPath.utf8.count > 1, linkPath.utf8.last == UInt8(ascii: "/") { linkPath.removeLast() }
    do throws(SystemError) {
      try systemCall("lstat") { unsafe lstat(linkPath, &link) }
      try systemCall("stat") { unsafe stat(path, &folder) }
    } catch {
      throw error.about(path)
    }
    for owner in [link.st_uid, folder.st_uid] where owner != 0 && owner != geteuid() { return .owned(byUser: owner) }
    let others: mode_t = folder.st_gid == getegid() ? 0o002 : 0o022
    return folder.st_mode & others == 0 ? nil : .writable(mode: folder.st_mode & 0o7777)
  }

  /// The names in a directory, sorted; empty if it does not exist.
  public static func names(in folder: String) throws(SystemError) -> [String] {
    guard let directory = unsafe opendir(folder) else {
      let error = SystemError(call: "opendir", code: cyclometer_errno(), subject: folder)
      if error.isMissingFile { return [] }
      throw error
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  public static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Takes an exclusive lock, held as long as the descriptor is open. Nil if another process holds
  /// it.
  public static func lock(_ path: String) throws(SystemError) -> FileDescriptor? {
    do throws(SystemError) {
      let file = try open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      guard case .done = try attempt("flock", { Int(flock(file.number, LOCK_EX | LOCK_NB)) }) else { return nil }
      return file
    } catch {
      throw error.about(path)
    }
  }

  private static func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(
      owning: try systemCall("open") { unsafe cyclometer_open(path, flags | O_CLOEXEC, mode) })
  }
}

// Prepares the daemon's directories. It creates missing ones, refuses those in which another user could
// replace files, and locks out a second daemon.

import Linux

extension Daemon.Directories {
  /// Returns the lock that keeps a second daemon out while it is held.
  func prepare() throws(Daemon.StartError) -> FileDescriptorBox {
    try make(runtime, mode: 0o755, option: "--runtime-dir")
    try make(state, mode: 0o700, option: "--state-dir")
    let lock = try system { () throws(SystemError) -> FileDescriptorBox? in
      guard let held = try Files.lock(runtime + "/cyclometerd.lock") else { return nil }
      return FileDescriptorBox(held)
    }
    guard let lock else {
      throw Daemon.StartError(description: "another cyclometerd runs in \(runtime): stop it, or give --runtime-dir")
    }
    return lock
  }

  private func make(_ folder: String, mode: UInt32, option: String) throws(Daemon.StartError) {
    let exposure = try system { () throws(SystemError) in
      try Files.createDirectory(folder, mode: mode)
      return try Files.exposure(ofFolder: folder)
    }
    switch exposure {
    case nil: return
    case .owned(let user):
      throw Daemon.StartError(
        description:
          "\(folder) belongs to user \(user), who could replace its files: use \(option) with a directory of your own")
    case .writable(let mode):
      throw Daemon.StartError(
        description:
          "other users may write to \(folder) (mode \(String(mode, radix: 8))): run chmod go-w on it, or give "
          + "\(option) another folder")
    }
  }

  private func system<Value>(_ body: () throws(SystemError) -> Value) throws(Daemon.StartError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      let advice = error.isNotAllowed ? ": run it as root, or in directories of yours (--runtime-dir, --state-dir)" : ""
      throw Daemon.StartError(description: "\(error)\(advice)")
    }
  }
}

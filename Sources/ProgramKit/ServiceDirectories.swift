// The directories of a service: one for its sockets, one for its state. Missing ones are created,
// and those in which another user could replace files are refused.

public import Linux

public struct ServiceDirectories: Sendable {
  public var runtime: String
  public var state: String

  public init(runtime: String, state: String) {
    self.runtime = runtime
    self.state = state
  }

  /// Returns the lock that keeps a second process of the program out while it is held.
  public func prepare(for program: String) throws(StartError) -> FileDescriptorBox {
    let lock = try prepareRuntime(for: program)
    try prepareState()
    return lock
  }

  /// The same without the state directory, for a service that waits until its storage can be used.
  public func prepareRuntime(for program: String) throws(StartError) -> FileDescriptorBox {
    try make(runtime, mode: 0o755, option: "--runtime-dir")
    let lock = try system { () throws(SystemError) -> FileDescriptorBox? in
      guard let held = try Files.lock("\(runtime)/\(program).lock") else { return nil }
      return FileDescriptorBox(held)
    }
    guard let lock else {
      throw StartError("another \(program) runs in \(runtime): stop it, or give --runtime-dir")
    }
    return lock
  }

  public func prepareState() throws(StartError) {
    try make(state, mode: 0o700, option: "--state-dir")
  }

  private func make(_ folder: String, mode: UInt32, option: String) throws(StartError) {
    let exposure = try system { () throws(SystemError) in
      try Files.createDirectory(folder, mode: mode)
      return try Files.exposure(ofFolder: folder)
    }
    switch exposure {
    case nil: return
    case .owned(let user):
      throw StartError(
        "\(folder) belongs to user \(user), who could replace its files: use \(option) with a directory of your own")
    case .writable(let mode):
      throw StartError(
        "other users may write to \(folder) (mode \(String(mode, radix: 8))): run chmod go-w on it, or give "
          + "\(option) another folder")
    }
  }

  private func system<Value>(_ body: () throws(SystemError) -> Value) throws(StartError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      let advice = error.isNotAllowed ? ": run it as root, or in directories of yours (--runtime-dir, --state-dir)" : ""
      throw StartError("\(error)\(advice)")
    }
  }
}

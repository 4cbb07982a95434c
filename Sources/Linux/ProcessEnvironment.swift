// The environment of the process: variables, process id, terminals, groups.

internal import CLinux

public enum ProcessEnvironment {
  public static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// For the programs that this process starts.
  public static func set(_ name: String, to value: String) {
    _ = unsafe setenv(name, value, 1)
  }

  /// 16 random hex digits, unique to each run.
  public static func randomName() -> String {
    let number = UInt64.random(in: .min ... .max)
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  public static var processNumber: Int32 { getpid() }
  public static var isTerminalInput: Bool { isatty(0) == 1 }
  public static var isTerminalOutput: Bool { isatty(1) == 1 }
  public static var isTerminalError: Bool { isatty(2) == 1 }

  /// The release of the running kernel, as in `uname -r`.
  public static var kernelRelease: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "" }
    return unsafe withUnsafeBytes(of: &names.release) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The effective user of this process.
  public static var user: UInt32 { geteuid() }

  /// Nil if the user does not exist.
  public static func user(named name: String) -> UInt32? {
    guard let entry = unsafe getpwnam(name) else { return nil }
    return unsafe entry.pointee.pw_uid
  }

  /// Nil if the group does not exist.
  public static func group(named name: String) -> UInt32? {
    guard let entry = unsafe getgrnam(name) else { return nil }
    return unsafe entry.pointee.gr_gid
  }
}

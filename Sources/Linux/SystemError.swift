// A failed system call: its name, the error code, and the file or address.

internal import CLinux

public struct SystemError: Error, Equatable, Sendable {
  public let call: String
  public let code: Int32
  /// The path or address of the call, if any.
  public var subject: String?

  public init(call: String, code: Int32, subject: String? = nil) {
    self.call = call
    self.code = code
    self.subject = subject
  }
}

extension SystemError: CustomStringConvertible {
  public var reason: String { unsafe String(cString: strerror(code)) }

  public var description: String {
    if let subject { "\(subject): \(reason) (\(call))" } else { "\(call): \(reason)" }
  }
}

extension SystemError {
  public static func alreadyThere(_ call: String, _ subject: String) -> SystemError {
    SystemError(call: call, code: EEXIST, subject: subject)
  }

  /// A file ends before what was written to it.
  public static func shortFile(_ path: String) -> SystemError { SystemError(call: "pread", code: EIO, subject: path) }

  public var isMissingFile: Bool { code == ENOENT }
  public var isAlreadyThere: Bool { code == EEXIST }
  public var isRefused: Bool { code == ECONNREFUSED }
  /// A listener's queue of new connections is full.
  public var isBusy: Bool { code == EAGAIN }
  public var isNotAllowed: Bool { code == EACCES || code == EPERM }
  public var isReadOnly: Bool { code == EROFS }
  /// No space is left, for anybody or for this user.
  public var isStorageFull: Bool { code == ENOSPC || code == EDQUOT }
  public var isInUse: Bool { code == EADDRINUSE }
  public var isPeerGone: Bool { code == EPIPE || code == ECONNRESET || code == ENOTCONN }
}

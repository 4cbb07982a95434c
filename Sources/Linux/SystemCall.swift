// The one way to the kernel. An interrupted call is made again; a call that would block says so as a value; the errors that
// can only be a bug of ours stop the program at once, where the bug is; the rest are thrown with the call's name.

internal import CLinux

/// What a call on a non-blocking descriptor came to.
public enum IOResult: Equatable, Sendable {
  case done(Int)
  case wouldBlock
}

func attempt(_ call: String, _ body: () -> Int) throws(SystemError) -> IOResult {
  while true {
    let result = body()
    if result >= 0 { return .done(result) }
    switch cyclometer_errno() {
    case EINTR: continue
    case EAGAIN: return .wouldBlock
    case EBADF, EFAULT, ENOTSOCK: preconditionFailure("\(call): a descriptor or an address of ours is wrong")
    case let code: throw SystemError(call: call, code: code)
    }
  }
}

/// For calls that never block: would-block is an error like any other.
@discardableResult
func systemCall(_ call: String, _ body: () -> Int) throws(SystemError) -> Int {
  switch try attempt(call, body) {
  case .done(let value): return value
  case .wouldBlock: throw SystemError(call: call, code: EAGAIN)
  }
}

@discardableResult
func systemCall(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
  Int32(truncatingIfNeeded: try systemCall(call) { Int(body()) })
}

extension SystemError {
  func about(_ subject: String) -> SystemError {
    SystemError(call: call, code: code, subject: subject)
  }
}

// All system calls go through here. An interrupted call is repeated, and one that would block
// returns a value. Errors that can only be caused by a bug end the program at once. Others are
// thrown with the name of the call.

internal import CLinux

/// The result of a call on a non-blocking descriptor.
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

/// For calls that never block, where would-block is an ordinary error.
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

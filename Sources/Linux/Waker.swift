// A descriptor that becomes readable on request, for waking a thread that waits in the kernel.

internal import CLinux

public final class Waker: Sendable {
  private let near: FileDescriptor
  let far: FileDescriptor

  public init() throws(SystemError) {
    let pair = try PacketPair()
    near = pair.near
    far = pair.far
  }

  /// Readable from the first `wake` until `clear`.
  public var number: Int32 { near.number }

  /// May be called from any thread, any number of times. If the socket is full, it is readable
  /// already.
  public func wake() {
    let one: [UInt8] = [1]
    _ = try? StreamSocket.send(far.number, one.span)
  }

  /// Whether `wake` was called since the last `clear`.
  public func clear() -> Bool {
    var wasCalled = false
    var packet = [UInt8](repeating: 0, count: 1)
    while case .done(let count) = try? near.read(into: &packet), count > 0 { wasCalled = true }
    return wasCalled
  }
}

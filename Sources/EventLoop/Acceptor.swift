// Accepts the connections of a listening socket.

public import Linux

public final class Acceptor {
  private let listener: FileDescriptorBox
  private let loop: EventLoop
  private var watch: Watch?
  private var pause: Deadline?
  /// Accepting failed and that was reported. It is reported again only after a success.
  private var hasFailed = false
  private let accepted: (consuming FileDescriptor) throws(SystemError) -> Void
  private let failed: (SystemError) -> Void

  private static let pauseTime = Duration.milliseconds(200)

  /// What `accepted` throws counts as a failure, too.
  public init(
    _ listener: consuming FileDescriptor, loop: EventLoop, failed: @escaping (SystemError) -> Void,
    accepted: @escaping (consuming FileDescriptor) throws(SystemError) -> Void
  ) throws(SystemError) {
    self.listener = FileDescriptorBox(listener)
    self.loop = loop
    self.failed = failed
    self.accepted = accepted
    watch = try loop.watch(self.listener.number, for: .readable) { [weak self] _ in self?.accept() }
  }

  public func close() {
    watch?.cancel()
    watch = nil
    pause?.cancel()
  }

  private func accept() {
    do throws(SystemError) {
      while watch != nil, let socket = try StreamSocket.accept(from: listener.number) {
        try accepted(socket)
        hasFailed = false
      }
    } catch {
      if !hasFailed { failed(error) }
      hasFailed = true
      wait()
    }
  }

  /// A connection that cannot be accepted, such as for lack of descriptors, keeps the listener
  /// readable: without a pause the loop would spin.
  private func wait() {
    try? watch?.change(to: [])
    pause = loop.schedule(after: Self.pauseTime) { [weak self] in try? self?.watch?.change(to: .readable) }
  }
}

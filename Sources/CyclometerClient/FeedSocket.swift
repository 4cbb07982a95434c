// The socket of a `FeedMachine`. It does what the machine wants and never waits, so every driver
// can share it: one waits in `poll`, another in its event loop.

public import Time

public final class FeedSocket {
  private let endpoint: Endpoint
  private let access: Access
  private var socket: ClientSocket?

  public init(to endpoint: Endpoint, for access: Access) {
    self.endpoint = endpoint
    self.access = access
  }

  /// The open socket's descriptor; negative without one.
  public var number: Int32 { socket?.number ?? -1 }

  /// Opens or closes the socket and sends the machine's output. A socket that is open may turn out to be
  /// broken: `willClose` is called before its descriptor is closed.
  public func serve(_ machine: inout FeedMachine, at now: MonotonicTime, willClose: () -> Void = {}) {
    if machine.socketUse == .open { open(for: &machine, at: now) }
    if machine.socketUse == .keep { send(of: &machine, at: now) }
    guard machine.socketUse == .close else { return }
    willClose()
    close()
  }

  public func close() {
    socket = nil
  }

  /// Passes available data, if any, to the machine. Returns whether `serve` has to be called
  /// afterwards: if only records arrived, the socket and the deadline stay as they are.
  @discardableResult
  public func read(into machine: inout FeedMachine, at now: MonotonicTime) -> Bool {
    guard let socket else { return true }
    let wasSteady = machine.isSteady
    do throws(ClientError) {
      try socket.read { machine.received($0, at: now) }
    } catch {
      machine.closed(error, at: now)
    }
    return !wasSteady || !machine.isSteady
  }

  private func open(for machine: inout FeedMachine, at now: MonotonicTime) {
    do throws(ClientError) {
      socket = try ClientSocket(to: endpoint, for: access)
      machine.connected(at: now)
    } catch {
      machine.closed(error, at: now)
    }
  }

  private func send(of machine: inout FeedMachine, at now: MonotonicTime) {
    guard let socket, !machine.output.isEmpty else { return }
    do throws(ClientError) {
      machine.sent(try socket.send(machine.output.span))
    } catch {
      machine.closed(error, at: now)
    }
  }
}

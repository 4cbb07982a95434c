// A connect that somebody else has under way, and what bluetoothd remembers of a sensor: what may be ended or forgotten, and
// what is another's.
//
// Always so: a device is only removed that BlueZ has no bond with, that nobody trusts or has named, and that nobody else
// had connected; unless the user asked for a new bond with this very sensor.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Wire

extension BlueZLink {
  /// How far we are with a connect that is not ours.
  enum Claim {
    case none
    /// It may be another program's, and come to something.
    case awaited
    /// It was ended, and ours is tried once more.
    case ended
  }

  /// The kernel hears a sensor that advertises every 2.5 s within this time. What was being created before we watched has ended.
  private static let longestWait = Duration.seconds(6)
  private static let pauseAfterDisconnect = Duration.milliseconds(250)

  /// Of a program that was killed while it connected the call stays for ever, until somebody disconnects.
  func someoneElseConnects(_ error: BusError) {
    guard claim == .none else { return giveUpConnecting(error) }
    claim = .awaited
    radio?.log.info("\(address): somebody else connects it (\(error)): given \(Self.longestWait) to come to something")
    if device.isConnected { return }
    deadline = loop.schedule(after: Self.longestWait) { [weak self] in self?.endOthersConnect(isPatient: true) }
  }

  /// `isPatient`: it may have the time that the kernel gives it to create the link.
  private func endOthersConnect(isPatient: Bool = false) {
    guard phase == .connecting else { return }
    if isPatient, connectStage != .listening {
      deadline = loop.schedule(after: ReconnectPolicy.creationTime) { [weak self] in self?.endOthersConnect() }
      return
    }
    claim = .ended
    track(
      device.disconnect(timeout: Self.disconnectTime) { [weak self] _ in
        guard let self, phase == .connecting else { return }
        deadline = loop.schedule(after: Self.pauseAfterDisconnect) { [weak self] in
          if self?.phase == .connecting { self?.connect() }
        }
      })
  }

  private func giveUpConnecting(_ error: BusError) {
    let failure = LinkFailure(error, while: .connecting)
    guard mayForget else { return lose(failure) }
    end(byForgetting: true) {}
    delegate?.link(self, closedWith: failure)
  }

  var mayForget: Bool {
    if path.isEmpty || !device.isPresent { return false }
    return !device.isPaired && !device.isMarked && !wasAdopted
  }
}

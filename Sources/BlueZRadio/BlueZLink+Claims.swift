// Connects that another program has in progress, and which of them may be ended or forgotten.
//
// Invariant: a device is removed only if it is not bonded, trusted or named by a user, and no other
// program had connected it. The exception is a user who asked for a new bond with this sensor.

internal import BlueZ
internal import DBus
internal import EventLoop
import ProgramKit
import Radio

extension BlueZLink {
  /// How a connect of another program was handled.
  enum Claim {
    case none
    /// Another program may be connecting; its connect may succeed.
    case awaited
    /// It was ended, and ours is tried once more.
    case ended
  }

  /// Within this time the kernel receives an advert of a sensor that advertises every 2.5 s.
  /// Connects that were being created before have ended by then.
  private static let longestWait = Duration.seconds(6)
  private static let pauseAfterDisconnect = Duration.milliseconds(250)

  /// If a program is killed while connecting, its call stays pending until someone disconnects.
  func someoneElseConnects(_ error: BusError) {
    guard claim == .none else { return giveUpConnecting(error) }
    claim = .awaited
    radio?.log.info("\(address): another program is connecting (\(error)): waiting up to \(Self.longestWait)")
    if device.isConnected { return }
    deadline = loop.schedule(after: Self.longestWait) { [weak self] in self?.endOthersConnect(isPatient: true) }
  }

  /// `isPatient`: allows the time that the kernel needs to create the link.
  private func endOthersConnect(isPatient: Bool = false) {
    guard phase == .connecting else { return }
    if isPatient, connectStage != .listening {
      deadline = loop.schedule(after: ConnectStage.creationTime) { [weak self] in self?.endOthersConnect() }
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

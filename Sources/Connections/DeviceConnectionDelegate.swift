// Whom a connection works for. It knows bytes, links and times; what they mean is known there.

package import EventLoop
import Linux
package import ProgramKit
package import Radio
import Time
import Wire

package protocol DeviceConnectionDelegate: AnyObject {
  func connectionChangedState(_ connection: DeviceConnection)
  /// The services of the device are known. Returns why it cannot be used, if it cannot.
  func connection(_ connection: DeviceConnection, openedWith endpoints: [Endpoint], on link: any Link)
    -> LinkFailure?
  func connection(
    _ connection: DeviceConnection, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool)
  /// The last writes on an open link to a device that is being disabled or forgotten.
  func lastWrites(of connection: DeviceConnection) -> [LinkWrite]
  /// The link is gone. `wasOpen`: its services had been known.
  func connectionClosed(_ connection: DeviceConnection, wasOpen: Bool)
  /// The first value since the device was connected.
  func connectionReceivedFirstValue(_ connection: DeviceConnection)
  /// The device has revealed its permanent address.
  func connectionMoved(_ connection: DeviceConnection)
  func connectionChangedSignal(_ connection: DeviceConnection)
  func silenceLimits(of connection: DeviceConnection) -> SilenceLimits
  /// The subscriptions without which the device cannot be used.
  func requiredSubscriptions(of connection: DeviceConnection) -> [Endpoint]
}

/// How long a device may be silent before it is stale, and before its link is closed and opened
/// again. Nil for a silence that is normal.
package struct SilenceLimits {
  package var staleAfter: Duration?
  package var reconnectAfter: Duration?

  package init(staleAfter: Duration? = nil, reconnectAfter: Duration? = nil) {
    self.staleAfter = staleAfter
    self.reconnectAfter = reconnectAfter
  }
}

/// What all connections of a daemon share.
package struct ConnectionServices {
  let loop: EventLoop
  let radio: any SensorRadio
  let queue: ConnectQueue
  let log: Log
  /// Links that end once their last writes are done.
  package let closing: ClosingLinks
  private var leavesNoTrace = false

  package init(loop: EventLoop, radio: any SensorRadio, queue: ConnectQueue, log: Log) {
    self.loop = loop
    self.radio = radio
    self.queue = queue
    self.log = log
    closing = ClosingLinks(loop: loop)
  }

  /// The same for a device that is only looked at: its links leave nothing in the Bluetooth daemon.
  package var forVisits: ConnectionServices {
    var services = self
    services.leavesNoTrace = true
    return services
  }

  func makeLink(to address: DeviceAddress) -> any Link {
    let link = radio.link(to: address)
    if leavesNoTrace { link.leaveNoTrace() }
    return link
  }
}

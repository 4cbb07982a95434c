// The replies of mqtt.sock.

package import Time
package import Wire

/// What the connection to the broker is doing.
package enum BrokerState: String, CaseIterable, Sendable {
  /// The configuration names no broker.
  case unset
  case connecting, connected
  /// It tries again after a random delay.
  case waiting
  /// It does not try again before a restart.
  case stopped
}

/// Why the bridge is not connected to the broker, for programs. `message` explains it.
package enum BrokerReason: String, CaseIterable, Sendable {
  /// No broker answers at the address.
  case unreachable
  /// The user or the password is wrong, or the certificate's name is unknown.
  case denied
  /// The broker's certificate is not trusted, or is another host's.
  case untrusted
  /// A file of the configuration cannot be used.
  case files
  /// Another receiver has the same name.
  case nameTaken = "name_taken"
  case other
}

package struct BrokerReply: WireObject {
  /// As configured, without the password. Nil if none is.
  package var address: String?
  package var state = WireWord(BrokerState.unset)
  /// Since when it is connected, or not.
  package var since: WallTime?
  package var reason: WireWord<BrokerReason>?
  /// The reason in a sentence.
  package var message: String?
  /// Topics that the broker does not let the bridge read or write.
  package var refused: [String] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("address", &address)
    members.needed("state", &state)
    members.member("since", &since)
    members.member("reason", &reason)
    members.member("message", &message)
    members.member("refused", &refused, unless: [])
  }
}

/// Records that the broker has not confirmed.
package struct SpoolReply: WireObject {
  package var records = 0
  package var batches = 0
  package var bytes = 0
  package var limitBytes = 0
  /// Records that were dropped because the spool was full, since the bridge started.
  package var lost = 0
  /// Why nothing can be stored. Nil if it can.
  package var message: String?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("records", &records)
    members.member("batches", &batches)
    members.member("bytes", &bytes)
    members.member("limit_bytes", &limitBytes)
    members.member("lost", &lost, unless: 0)
    members.member("message", &message)
  }
}

/// What is published as it is measured.
package struct LiveReply: WireObject {
  /// `always`, `wanted` or `never`.
  package var mode = ""
  /// What readers want now. Empty with another mode than `wanted`.
  package var kinds: [String] = []
  /// Until when. Nil if nothing is wanted.
  package var until: WallTime?

  /// Of a bridge that publishes nothing.
  package static var none: LiveReply {
    var reply = LiveReply()
    reply.mode = "never"
    return reply
  }

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("mode", &mode)
    members.member("kinds", &kinds, unless: [])
    members.member("until", &until)
  }
}

/// The connection to the daemon's control.sock.
package struct ControlReply: WireObject {
  package var isConnected = false
  /// What others may ask for.
  package var allowed: [String] = []
  /// Why it is not connected.
  package var message: String?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("connected", &isConnected)
    members.member("allowed", &allowed, unless: [])
    members.member("message", &message)
  }
}

/// Where a sensor is that several receivers are paired with.
package enum SharedSensorHolder: String, CaseIterable, Sendable {
  /// The daemon here has it, or connects to it.
  case here
  /// Another receiver has it, or it is pinned to one.
  case elsewhere
  /// The receivers wait until one of them receives it.
  case free
}

package struct SharedSensorReply: WireObject {
  package var sensor = ""
  package var holder = WireWord(SharedSensorHolder.free)
  /// Which one, if it is elsewhere.
  package var receiver: String?

  package init() {}

  package init(_ sensor: String, _ holder: SharedSensorHolder, _ receiver: String? = nil) {
    (self.sensor, self.holder, self.receiver) = (sensor, WireWord(holder), receiver)
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("sensor", &sensor)
    members.needed("holder", &holder)
    members.member("receiver", &receiver)
  }
}

/// What the bridge reads of other receivers.
package struct WallReply: WireObject {
  package var groups: [String] = []
  /// Whether the bridge only reads: it needs no daemon, and publishes nothing of its own.
  package var isAlone = false
  package var receivers = 0
  /// How many of them are not offline.
  package var online = 0
  package var bytes = 0
  package var limitBytes = 0
  /// Messages without room, and those that no receiver sends, since the bridge started.
  package var refused = 0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("groups", &groups)
    members.member("alone", &isAlone, unless: false)
    members.member("receivers", &receivers)
    members.member("online", &online)
    members.member("bytes", &bytes)
    members.member("limit_bytes", &limitBytes)
    members.member("refused", &refused, unless: 0)
  }
}

/// To the readers of a wall: what the connection to the broker is doing. Whenever it is connected again,
/// a reader forgets everything: it gets all of it again.
package struct BrokerRecord: Record, WireObject {
  package static let className = "broker"
  package var broker = BrokerReply()

  package init() {}
  package init(_ broker: BrokerReply) { self.broker = broker }

  package mutating func visit(_ members: inout Members) { broker.visit(&members) }
}

package struct BridgeStatusReply: WireObject {
  package var release: String?
  package var group = ""
  package var receiver = ""
  /// Whether records can arrive: the bridge is connected to the daemon.
  package var isConnected = false
  /// Of the daemon that it is connected to. Nil until it has listed them.
  package var sensors: Int?
  /// Whether the computer's clock is set.
  package var isClockSet: Bool?
  package var broker = BrokerReply()
  /// Nil if no records are sent for storing.
  package var spool: SpoolReply?
  package var live = LiveReply()
  /// Nil if the bridge does not use control.sock.
  package var control: ControlReply?
  /// Nil without `Roaming=yes`.
  package var shared: [SharedSensorReply]?
  /// Nil without `Groups=`.
  package var wall: WallReply?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("release", &release)
    members.needed("group", &group)
    members.needed("receiver", &receiver)
    members.member("connected", &isConnected)
    members.member("sensors", &sensors)
    members.member("clock_set", &isClockSet)
    members.needed("broker", &broker)
    members.member("spool", &spool)
    members.needed("live", &live)
    members.member("control", &control)
    members.member("shared", &shared)
    members.member("wall", &wall)
  }
}

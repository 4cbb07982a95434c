// All transitions between the states of a connection, with what is done in each. A connection runs
// by this table: what is not in it does not happen. The page docs/sessions.md is generated from it.

package import Wire

package enum ConnectionEvent: String, CaseIterable {
  case started = "started or enabled"
  case disabled = "disabled by the user or a client"
  case turn = "found, or lost a moment ago, and first in the queue"
  case triedAgain = "a temporary failure of a connect"
  case subscribed = "all required characteristics are subscribed to"
  case broadcast = "an advert with values arrived"
  case silence = "no value within the time of its kind"
  case value = "a value of what the sensor is for arrived"
  case unread = "no program decodes its packets"
  case readAgain = "a program decodes its packets again"
  case lost = "the connection failed, ended, or was silent for too long"
  case givenUp = "a permanent failure: the user must act"
  case bondRetry = "a suspected failure is tried once more"
  case stuck = "the adapter keeps a connection that the kernel does not know"
  case radioLost = "the radio became unavailable"
  case radioBack = "the radio is available again"
}

/// Where the new state gets its reason.
package enum ReasonSource: String {
  case none = "none"
  case request = "`user` or `elsewhere`"
  case silent = "`silent`"
  case program = "`plugin_gone` or `plugin_slow`"
  case failure = "of the failure, or of the radio if it is unavailable"
  case radio = "of the radio, if it is unavailable"
  case same = "as before"
}

/// What a connection does in a transition, in the words of the page.
package enum ConnectionAction: String {
  case forgetFailures = "forget earlier failures"
  case closeLink = "close the link"
  case leaveQueue = "leave the queue"
  /// Publishes the state and its reason, if one of them is new.
  case publish = "publish the state"
  case openLink = "open a link"
  case openLinkSoon = "open a link after a pause"
  case retry = "connect again: at once, or after a pause"
  case reconsider = "if its bond is only suspected to be lost, try once more later"
  case awaitValue = "wait for the next value"
  case demandValue = "subscribe again if it has sent nothing"
}

package struct Transition {
  package let from: SensorState
  package let event: ConnectionEvent
  package let to: SensorState
  package let reason: ReasonSource
  /// Those before `publish` are done in the old state, those after it in the new one.
  package let actions: [ConnectionAction]

  init(
    _ from: SensorState, _ event: ConnectionEvent, _ to: SensorState, _ reason: ReasonSource,
    _ actions: [ConnectionAction]
  ) {
    self.from = from
    self.event = event
    self.to = to
    self.reason = reason
    self.actions = actions
  }
}

package enum ConnectionTable {
  package static let initial = SensorState.disabled

  package static let transitions: [Transition] = [
    Transition(.disabled, .started, .searching, .radio, [.forgetFailures, .publish]),
    Transition(.disabled, .disabled, .disabled, .request, stop),

    Transition(.searching, .turn, .connecting, .none, [.publish, .openLink]),
    Transition(.searching, .broadcast, .streaming, .none, [.leaveQueue, .publish, .awaitValue]),
    Transition(.searching, .stuck, .searching, .failure, [.publish]),
    Transition(.searching, .radioLost, .searching, .radio, [.leaveQueue, .publish]),
    Transition(.searching, .radioBack, .searching, .none, [.leaveQueue, .publish]),
    Transition(.searching, .givenUp, .error, .failure, [.leaveQueue, .publish]),
    Transition(.searching, .disabled, .disabled, .request, stop),

    Transition(.connecting, .triedAgain, .connecting, .failure, [.closeLink, .publish, .openLinkSoon]),
    Transition(.connecting, .subscribed, .connecting, .none, [.publish, .awaitValue]),
    Transition(.connecting, .value, .streaming, .none, [.publish, .awaitValue]),
    Transition(.connecting, .silence, .stale, .silent, [.publish, .demandValue, .awaitValue]),
    Transition(.connecting, .unread, .stale, .program, [.publish]),
    Transition(.connecting, .lost, .searching, .failure, recover),
    Transition(.connecting, .givenUp, .error, .failure, giveUp),
    Transition(.connecting, .disabled, .disabled, .request, stop),

    Transition(.streaming, .silence, .stale, .silent, [.publish, .demandValue, .awaitValue]),
    Transition(.streaming, .unread, .stale, .program, [.publish]),
    Transition(.streaming, .lost, .searching, .failure, recover),
    Transition(.streaming, .givenUp, .error, .failure, giveUp),
    Transition(.streaming, .radioLost, .searching, .radio, [.leaveQueue, .publish]),
    Transition(.streaming, .disabled, .disabled, .request, stop),

    Transition(.stale, .value, .streaming, .none, [.publish, .awaitValue]),
    Transition(.stale, .unread, .stale, .program, [.publish]),
    Transition(.stale, .readAgain, .stale, .silent, [.publish, .awaitValue]),
    Transition(.stale, .lost, .searching, .failure, recover),
    Transition(.stale, .givenUp, .error, .failure, giveUp),
    Transition(.stale, .radioLost, .searching, .radio, [.leaveQueue, .publish]),
    Transition(.stale, .disabled, .disabled, .request, stop),

    Transition(.error, .started, .searching, .radio, [.forgetFailures, .publish]),
    Transition(.error, .bondRetry, .searching, .same, [.publish]),
    Transition(.error, .disabled, .disabled, .request, stop),
  ]

  private static let stop: [ConnectionAction] = [.closeLink, .leaveQueue, .publish]
  private static let recover: [ConnectionAction] = [.closeLink, .leaveQueue, .publish, .retry]
  private static let giveUp: [ConnectionAction] = [.closeLink, .leaveQueue, .publish, .reconsider]

  /// Nil if the event does not apply in that state.
  package static func transition(from state: SensorState, on event: ConnectionEvent) -> Transition? {
    for row in transitions where row.from == state && row.event == event { return row }
    return nil
  }
}

// All transitions between the states of a sensor. Sessions follow this table, so nothing else can
// happen. The page docs/sessions.md is generated from it.

import Wire

enum SessionEvent: String, CaseIterable {
  case started = "started or enabled"
  case disabled = "disabled by the user or a client"
  case slot = "found, or lost a moment ago, and first in the queue"
  case triedAgain = "a temporary failure of a connect"
  case subscribed = "all required characteristics are subscribed to"
  case broadcast = "an advert with values arrived"
  case silence = "no value within the time of its kind"
  case value = "a value of what the sensor is for arrived"
  case lost = "the connection failed, ended, or was silent for too long"
  case givenUp = "a permanent failure: the user must act"
  case bondRetry = "a suspected failure is tried once more"
  case stuck = "the adapter keeps a connection that the kernel does not know"
  case radioLost = "the radio became unavailable"
  case radioBack = "the radio is available again"
}

/// Where the new state gets its reason.
enum ReasonSource: String {
  case none = "none"
  case request = "`user` or `elsewhere`"
  case silent = "`silent`"
  case failure = "of the failure, or of the radio if it is unavailable"
  case radio = "of the radio, if it is unavailable"
  case same = "as before"
}

struct Transition {
  let from: SensorState
  let event: SessionEvent
  let to: SensorState
  let reason: ReasonSource

  init(_ from: SensorState, _ event: SessionEvent, _ to: SensorState, _ reason: ReasonSource) {
    self.from = from
    self.event = event
    self.to = to
    self.reason = reason
  }
}

enum SessionTable {
  static let initial = SensorState.disabled

  static let transitions: [Transition] = [
    Transition(.disabled, .started, .searching, .radio),
    Transition(.disabled, .disabled, .disabled, .request),

    Transition(.searching, .slot, .connecting, .none),
    Transition(.searching, .broadcast, .streaming, .none),
    Transition(.searching, .stuck, .searching, .failure),
    Transition(.searching, .radioLost, .searching, .radio),
    Transition(.searching, .radioBack, .searching, .none),
    Transition(.searching, .disabled, .disabled, .request),

    Transition(.connecting, .triedAgain, .connecting, .failure),
    Transition(.connecting, .subscribed, .connecting, .none),
    Transition(.connecting, .value, .streaming, .none),
    Transition(.connecting, .silence, .stale, .silent),
    Transition(.connecting, .lost, .searching, .failure),
    Transition(.connecting, .givenUp, .error, .failure),
    Transition(.connecting, .disabled, .disabled, .request),

    Transition(.streaming, .silence, .stale, .silent),
    Transition(.streaming, .lost, .searching, .failure),
    Transition(.streaming, .givenUp, .error, .failure),
    Transition(.streaming, .radioLost, .searching, .radio),
    Transition(.streaming, .disabled, .disabled, .request),

    Transition(.stale, .value, .streaming, .none),
    Transition(.stale, .lost, .searching, .failure),
    Transition(.stale, .givenUp, .error, .failure),
    Transition(.stale, .radioLost, .searching, .radio),
    Transition(.stale, .disabled, .disabled, .request),

    Transition(.error, .started, .searching, .radio),
    Transition(.error, .bondRetry, .searching, .same),
    Transition(.error, .disabled, .disabled, .request),
  ]

  /// Nil if the event does not apply in that state.
  static func transition(from state: SensorState, on event: SessionEvent) -> Transition? {
    for row in transitions where row.from == state && row.event == event { return row }
    return nil
  }
}

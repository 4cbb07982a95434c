// All transitions between the states of a sensor. Sessions follow this table, so nothing else can
// happen. The page docs/sessions.md is generated from it.

import Wire

enum SessionEvent: String, CaseIterable {
  case started = "started or enabled"
  case disabled = "disabled by the user"
  case turn = "heard, or lost a moment ago, and its turn has come"
  case triedAgain = "a connect failed in a way that passes"
  case subscribed = "all that it is of use for is subscribed to"
  case broadcast = "an advert with values was heard"
  case silence = "nothing was heard, or no first value came, for the time of its kind"
  case value = "a value of what it is for came"
  case lost = "the link failed, ended, or was silent for too long"
  case givenUp = "nothing will come of it before the user has done something"
  case doubted = "what was only suspected is tried once more"
  case stuck = "the adapter keeps a link to it that the kernel does not know"
  case radioLost = "nothing can be heard by any sensor"
  case radioBack = "sensors can be heard again"
}

/// Where the new state gets its reason.
enum ReasonSource: String {
  case none = "none"
  case user = "`user`"
  case silent = "`silent`"
  case failure = "the failure's, or the radio's where nothing can be heard"
  case radio = "the radio's, if nothing can be heard"
  case same = "as before"
}

struct Transition {
  let from: SensorState
  let event: SessionEvent
  let to: SensorState
  let reason: ReasonSource
  let action: String

  init(_ from: SensorState, _ event: SessionEvent, _ to: SensorState, _ reason: ReasonSource, _ action: String) {
    self.from = from
    self.event = event
    self.to = to
    self.reason = reason
    self.action = action
  }
}

enum SessionTable {
  static let initial = SensorState.disabled

  static let transitions: [Transition] = [
    Transition(.disabled, .started, .searching, .radio, "discovery is wanted"),
    Transition(.disabled, .disabled, .disabled, .user, "none"),

    Transition(.searching, .turn, .connecting, .none, "a link is opened; discovery rests"),
    Transition(.searching, .broadcast, .streaming, .none, "its adverts are its values; silence is watched"),
    Transition(
      .searching, .stuck, .searching, .failure,
      "the adapter is switched off and on when it has no other link, for a radar after 30 s in any case"),
    Transition(.searching, .radioLost, .searching, .radio, "its place in the queue is given up"),
    Transition(.searching, .radioBack, .searching, .none, "discovery is wanted"),
    Transition(.searching, .disabled, .disabled, .user, "its place in the queue is given up"),

    Transition(.connecting, .triedAgain, .connecting, .failure, "the link is closed, and opened again after a moment"),
    Transition(.connecting, .subscribed, .connecting, .none, "the turn is given on; the first value is awaited"),
    Transition(.connecting, .value, .streaming, .none, "silence is watched"),
    Transition(.connecting, .silence, .stale, .silent, "the sensor is subscribed to anew if it has said nothing yet"),
    Transition(.connecting, .lost, .searching, .failure, "the link is closed; a pause by the kind of the failure"),
    Transition(.connecting, .givenUp, .error, .failure, "the link is closed"),
    Transition(.connecting, .disabled, .disabled, .user, "the link is closed"),

    Transition(.streaming, .silence, .stale, .silent, "the sensor is subscribed to anew if it has said nothing yet"),
    Transition(.streaming, .lost, .searching, .failure, "the link is closed; tried at once if it had worked"),
    Transition(.streaming, .givenUp, .error, .failure, "the link is closed"),
    Transition(.streaming, .radioLost, .searching, .radio, "only for what broadcasts: others lose their link"),
    Transition(.streaming, .disabled, .disabled, .user, "the link is closed"),

    Transition(.stale, .value, .streaming, .none, "silence is watched"),
    Transition(.stale, .lost, .searching, .failure, "the link is closed; tried at once if it had worked"),
    Transition(.stale, .givenUp, .error, .failure, "the link is closed"),
    Transition(.stale, .radioLost, .searching, .radio, "only for what broadcasts: others lose their link"),
    Transition(.stale, .disabled, .disabled, .user, "the link is closed"),

    Transition(.error, .started, .searching, .radio, "discovery is wanted"),
    Transition(.error, .doubted, .searching, .same, "discovery is wanted"),
    Transition(.error, .disabled, .disabled, .user, "none"),
  ]

  /// Nil if the event does not apply in that state.
  static func transition(from state: SensorState, on event: SessionEvent) -> Transition? {
    for row in transitions where row.from == state && row.event == event { return row }
    return nil
  }
}

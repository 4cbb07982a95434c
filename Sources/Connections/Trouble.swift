// Failures since the last value.

import Radio
import Wire

struct Trouble {
  private(set) var attempts = 0
  /// BlueZ's cached services were forgotten.
  private(set) var hasForgotten = false
  /// This computer's bond was removed so that a new one can be made.
  private(set) var hasReplacedBond = false
  /// How many links ended in a row before a value arrived, while BlueZ had a bond.
  private(set) var endsOfBonded = 0

  mutating func countAttempt() { attempts += 1 }

  mutating func forgetServices() { hasForgotten = true }

  mutating func replaceBond() {
    hasReplacedBond = true
    endsOfBonded = 0
  }

  /// The link of a bonded device came up and ended without a value.
  mutating func countEndOfBonded() { endsOfBonded += 1 }

  /// The bond is retried, with few links.
  mutating func doubtLostBond() {
    endsOfBonded = ReconnectPolicy.endsThatMeanALostBond - ReconnectPolicy.endsOnSecondThought
  }

  /// A link without a value does not count as working: one that always ends after subscribing must
  /// not be rebuilt without a pause.
  func step(
    after failure: LinkFailure, in attempt: Attempt?, hadWorked: Bool, isRadioLost: Bool
  ) -> ReconnectPolicy.Step {
    var history = ReconnectPolicy.History(
      attempts: attempts, hadWorked: hadWorked, hasForgotten: hasForgotten, isRadioLost: isRadioLost)
    if let attempt {
      history.isConnecting = attempt.flow == nil
      history.quickTries = attempt.quickTries
      history.timeLeft = attempt.timeLeft
    }
    return ReconnectPolicy.step(after: failure.kind, history)
  }

  /// A failure as it looks after those before it.
  func judge(_ failure: LinkFailure) -> LinkFailure {
    guard endsOfBonded >= ReconnectPolicy.endsThatMeanALostBond, failure.kind == .transient else { return failure }
    let detail = "its link ended \(endsOfBonded) times in a row: it seems to have lost its bond"
    return LinkFailure(.needsUser, .bondLost, detail)
  }
}

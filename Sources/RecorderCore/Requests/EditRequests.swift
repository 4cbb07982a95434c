// The methods that change what an activity shows of its recording.

import Logbook
import LogbookWire
import Serving
import Wire

final class EditRequests {
  private static let unavailable = Refusal(.internal, "edits are not available")

  func crop(_ request: CropRequest, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }
  func join(_ request: JoinRequest, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }
  func revert(_ request: RevertRequest, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }
  func split(_ request: SplitRequest, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }
}

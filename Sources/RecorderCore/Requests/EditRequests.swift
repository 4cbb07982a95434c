// The methods that change what an activity shows of its recording. The reply follows when the totals
// are those of what is shown.

import Logbook
import LogbookWire
import SQLite
import Serving
import Wire

final class EditRequests {
  private let database: Database
  private let catalogue: ActivityCatalogue
  private let editor: ActivityEditor
  private let lanes: RequestLanes
  private let updates: ActivityUpdates

  init(
    _ database: Database, _ catalogue: ActivityCatalogue, _ lanes: RequestLanes, _ updates: ActivityUpdates
  ) throws(SQLiteError) {
    (self.database, self.catalogue, self.lanes, self.updates) = (database, catalogue, lanes, updates)
    editor = try ActivityEditor(catalogue)
  }

  func crop(_ request: CropRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try edit(asker, { [editor] () throws(Refusal) in try editor.crop(request) }, reply: first)
  }

  func join(_ request: JoinRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try edit(asker, { [editor] () throws(Refusal) in try editor.join(request) }, reply: first)
  }

  func revert(_ request: RevertRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try edit(asker, { [editor] () throws(Refusal) in try editor.revert(request) }, reply: first)
  }

  func split(_ request: SplitRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try edit(asker, { [editor] () throws(Refusal) in try editor.split(request) }, reply: all)
  }

  private func edit(
    _ asker: Asker, _ change: @escaping () throws(Refusal) -> ActivityEdit,
    reply: @escaping ([ActivityRecord]) -> Answer
  ) throws(Refusal) -> Answer {
    let work = EditWork(database, change)
    return try lanes.answer(asker, after: work) { [catalogue, updates] () throws(Refusal) in
      updates.edited(work.edit)
      var records: [ActivityRecord] = []
      for id in work.edit.changed { records.append(try catalogue.record(id)) }
      return reply(records)
    }
  }

  private func first(_ records: [ActivityRecord]) -> Answer {
    guard let first = records.first else { return .done }
    return .reply(first)
  }

  private func all(_ records: [ActivityRecord]) -> Answer {
    var reply = ActivitiesReply()
    reply.activities = records
    return .reply(reply)
  }
}

/// Changes activities in one slice, and computes their totals in further ones.
private final class EditWork: SlicedWork {
  private let database: Database
  private let change: () throws(Refusal) -> ActivityEdit
  private var totals: WorkChain?
  private(set) var edit = ActivityEdit()

  init(_ database: Database, _ change: @escaping () throws(Refusal) -> ActivityEdit) {
    (self.database, self.change) = (database, change)
  }

  func step() throws(Refusal) -> Bool {
    if let totals { return try totals.step() }
    edit = try change()
    totals = .totals(of: edit.changed, in: database)
    return true
  }
}

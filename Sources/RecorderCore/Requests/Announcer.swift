// Reports changes to the clients that subscribed: of activities, routes and segments, and of the
// storage.

import Logbook
import LogbookWire
import ProgramKit
import Serving
import Wire

final class Announcer {
  private let publisher: Publisher
  /// Nil while the storage cannot be used.
  private var catalogue: ActivityCatalogue?
  /// What is wrong with the storage at present, for new subscribers.
  private var trouble: [LogbookEventRecord] = []

  init(_ publisher: Publisher) { self.publisher = publisher }

  func opened(_ catalogue: ActivityCatalogue) { self.catalogue = catalogue }

  /// The current state comes first.
  func subscribe(_ client: Client) -> Answer {
    .done.then { [self] in
      if let recording = try? catalogue?.recordingRecord() {
        client.send(ActivityChangeRecord(.recording, recording))
      }
      for event in trouble { client.send(event) }
      client.subscribe(Filter(snapshot: false))
    }
  }

  func announce(_ change: ActivityChange, _ activity: ActivityRecord) {
    publisher.publish(ActivityChangeRecord(change, activity))
  }

  /// Reads the activity. If it is gone, there is nothing to report.
  func announce(_ change: ActivityChange, _ id: Int64) {
    if let record = try? catalogue?.record(id) { announce(change, record) }
  }

  func announce(removed id: Int) { publisher.publish(ActivityChangeRecord(removed: id)) }

  func announce(_ change: SegmentChange, segment id: Int) { publisher.publish(SegmentChangeRecord(change, id)) }

  func announce(_ change: RouteChange, route id: Int) { publisher.publish(RouteChangeRecord(change, id)) }

  func announce(_ event: LogbookEvent, activity: Int64? = nil, message: String? = nil) {
    let record = LogbookEventRecord(event, time: Clock.wallTime, activity: activity.map { Int($0) }, message: message)
    switch event {
    case .storageOK: trouble = []
    case .storageLow, .storageFailed, .slowStorage:
      trouble.removeAll { $0.event.known == event }
      trouble.append(record)
    case .hole, .recordingInterrupted, .storageDamaged: break
    }
    publisher.publish(record)
  }
}

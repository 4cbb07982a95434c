// Records that the recorder sends by itself: the greeting, and what `subscribe` reports.

import JSON
package import Time
package import Wire

/// The recorder's first line.
package struct LogbookHelloRecord: Record, WireObject {
  package static let className = "hello"
  package static let currentVersion = "1.0"
  package private(set) var logbookVersion = ""
  package private(set) var release = ""
  /// Changes with every start of the recorder.
  package private(set) var instance = ""
  private var limits = Limits()

  package var lineLimit: Int { limits.line }

  private struct Limits: WireObject {
    var line = LineSplitter.protocolLimit
    var clients = 32

    mutating func visit(_ members: inout Members) {
      members.member("line", &line)
      members.member("clients", &clients)
    }
  }

  package init() {}

  package init(release: String, instance: String, clientLimit: Int) {
    logbookVersion = Self.currentVersion
    self.release = release
    self.instance = instance
    limits.clients = clientLimit
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("logbook", &logbookVersion)
    members.member("release", &release)
    members.needed("instance", &instance)
    members.member("limits", &limits)
  }
}

package enum ActivityChange: String, CaseIterable, Sendable {
  case added, changed, removed, recording, ended
}

/// An activity that changed.
package struct ActivityChangeRecord: Record, WireObject {
  package static let className = "activity"
  package private(set) var change = WireWord<ActivityChange>()
  package private(set) var id = 0
  /// Nil if it was removed.
  package private(set) var activity: ActivityRecord?

  package init() {}

  package init(_ change: ActivityChange, _ activity: ActivityRecord) {
    self.change = WireWord(change)
    id = activity.id
    self.activity = activity
  }

  package init(removed id: Int) {
    change = WireWord(.removed)
    self.id = id
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("change", &change)
    members.needed("id", &id)
    members.member("activity", &activity)
  }
}

package enum SegmentChange: String, CaseIterable, Sendable {
  case added, removed
  /// It may have another name or other efforts.
  case changed
}

package struct SegmentChangeRecord: Record, WireObject {
  package static let className = "segment"
  package private(set) var change = WireWord<SegmentChange>()
  package private(set) var id = 0

  package init() {}

  package init(_ change: SegmentChange, _ id: Int) { (self.change, self.id) = (WireWord(change), id) }

  package mutating func visit(_ members: inout Members) {
    members.needed("change", &change)
    members.needed("id", &id)
  }
}

package enum RouteChange: String, CaseIterable, Sendable {
  case added, removed
  /// It has another name.
  case changed
}

package struct RouteChangeRecord: Record, WireObject {
  package static let className = "route"
  package private(set) var change = WireWord<RouteChange>()
  package private(set) var id = 0

  package init() {}

  package init(_ change: RouteChange, _ id: Int) { (self.change, self.id) = (WireWord(change), id) }

  package mutating func visit(_ members: inout Members) {
    members.needed("change", &change)
    members.needed("id", &id)
  }
}

package enum LogbookEvent: String, CaseIterable, Sendable {
  case storageLow = "storage_low"
  case storageFailed = "storage_failed"
  case storageOK = "storage_ok"
  case storageDamaged = "storage_damaged"
  case slowStorage = "slow_storage"
  case hole
  case recordingInterrupted = "recording_interrupted"
}

/// Something that happened to the logbook.
package struct LogbookEventRecord: Record, WireObject {
  package static let className = "event"
  package private(set) var event = WireWord<LogbookEvent>()
  package private(set) var time: WallTime?
  /// The id.
  package private(set) var activity: Int?
  package private(set) var message: String?

  package init() {}

  package init(_ event: LogbookEvent, time: WallTime? = nil, activity: Int? = nil, message: String? = nil) {
    self.event = WireWord(event)
    self.time = time
    self.activity = activity
    self.message = message
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("event", &event)
    members.member("time", &time)
    members.member("activity", &activity)
    members.member("message", &message)
  }
}

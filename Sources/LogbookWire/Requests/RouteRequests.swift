// Requests about routes, segments and efforts. Routes from files come with `import`.

package import Wire

package struct RoutesRequest: LogbookRequest {
  package typealias Reply = RoutesReply
  package static let method = LogbookMethod.routes
  package var before: Int?
  package var limit: Int?
  package var text: String?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.page(&before, &limit)
    members.text("text", &text, atMost: RequestLimits.name)
  }
}

package enum RouteFormat: String, CaseIterable, Sendable {
  /// A `RouteDocument`.
  case json
  case gpx, fit, tcx
}

package struct RouteRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.route
  package var id = 0
  /// Nil for JSON.
  package var format: RouteFormat?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.word("format", &format)
  }
}

/// Makes a route of the track of an activity.
package struct RouteAddRequest: LogbookRequest {
  package typealias Reply = RouteRecord
  package static let method = LogbookMethod.routeAdd
  package var activity = 0
  package var name = ""
  package var fromS: Double?
  package var toS: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.part(&activity, &name, &fromS, &toS)
  }
}

package struct RouteRemoveRequest: LogbookRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.routeRemove
  package var id = 0

  package init() {}
  package init(id: Int) { self.id = id }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
  }
}

package struct SegmentsRequest: LogbookRequest {
  package typealias Reply = SegmentsReply
  package static let method = LogbookMethod.segments
  package var before: Int?
  package var limit: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.page(&before, &limit)
  }
}

/// Makes a segment of a part of an activity.
package struct SegmentAddRequest: LogbookRequest {
  package typealias Reply = SegmentRecord
  package static let method = LogbookMethod.segmentAdd
  package var activity = 0
  package var name = ""
  package var fromS: Double?
  package var toS: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.part(&activity, &name, &fromS, &toS)
    members.require(fromS != nil, "from_s is missing: a number of seconds")
    members.require(toS != nil, "to_s is missing: a number of seconds")
  }
}

package struct SegmentRemoveRequest: LogbookRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.segmentRemove
  package var id = 0

  package init() {}
  package init(id: Int) { self.id = id }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
  }
}

package struct EffortsRequest: LogbookRequest {
  package typealias Reply = EffortsReply
  package static let method = LogbookMethod.efforts
  package var segment = 0
  /// The id of the activity of the last effort of the previous page.
  package var before: Int?
  package var limit: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "segment", &segment)
    members.page(&before, &limit)
  }
}

extension RequestMembers {
  fileprivate mutating func page(_ before: inout Int?, _ limit: inout Int?) {
    id("before", &before)
    whole("limit", &limit, in: RequestLimits.page)
  }

  fileprivate mutating func part(
    _ activity: inout Int, _ name: inout String, _ fromS: inout Double?, _ toS: inout Double?
  ) {
    needed(id: "activity", &activity)
    needed(text: "name", &name, atMost: RequestLimits.name)
    number("from_s", &fromS, in: RequestLimits.seconds)
    number("to_s", &toS, in: RequestLimits.seconds)
    require((fromS ?? 0) < (toS ?? .infinity), "from_s is less than to_s")
  }
}

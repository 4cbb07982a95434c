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
  /// Of a longer route, JSON has at most this many, the first and the last included.
  package var points: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.word("format", &format)
    members.whole("points", &points, in: RequestLimits.points)
    members.require(points == nil || (format ?? .json) == .json, "points is for json: a file has all points")
  }
}

/// Makes a route of the track of an activity, or of a line that a rider has drawn.
package struct RouteAddRequest: LogbookRequest {
  package typealias Reply = RouteRecord
  package static let method = LogbookMethod.routeAdd
  package var activity: Int?
  package var name = ""
  package var fromS: Double?
  package var toS: Double?
  /// The places of the line. Both arrays have the same count.
  package var latitudesDeg: [Double]?
  package var longitudesDeg: [Double]?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.id("activity", &activity)
    members.needed(text: "name", &name, atMost: RequestLimits.name)
    members.part(&fromS, &toS)
    members.numbers("latitude_deg", &latitudesDeg, in: -90...90, count: RequestLimits.drawnPoints)
    members.numbers("longitude_deg", &longitudesDeg, in: -180...180, count: RequestLimits.drawnPoints)
    members.require(
      (activity == nil) != (latitudesDeg == nil),
      "a route is made of either activity, or latitude_deg and longitude_deg")
    members.require(
      activity != nil || (fromS == nil && toS == nil), "from_s and to_s are for a part of an activity: give activity")
    members.require(
      latitudesDeg?.count == longitudesDeg?.count, "latitude_deg and longitude_deg have the same number of items")
  }
}

package struct RouteEditRequest: LogbookRequest {
  package typealias Reply = RouteRecord
  package static let method = LogbookMethod.routeEdit
  package var id = 0
  package var name = ""

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.renamed(&id, &name)
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
  /// Whose shortest time on each segment is wanted.
  package var activity: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.page(&before, &limit)
    members.id("activity", &activity)
  }
}

/// The content is a `SegmentDocument`.
package struct SegmentRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.segment
  package var id = 0

  package init() {}
  package init(id: Int) { self.id = id }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
  }
}

/// Looks for parts of an activity that are worth a segment.
package struct SegmentProposeRequest: LogbookRequest {
  package typealias Reply = SegmentProposalsReply
  package static let method = LogbookMethod.segmentPropose
  /// Nil for the newest one with positions.
  package var activity: Int?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) { members.id("activity", &activity) }
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
    members.needed(id: "activity", &activity)
    members.needed(text: "name", &name, atMost: RequestLimits.name)
    members.part(&fromS, &toS)
    members.require(fromS != nil, "from_s is missing: a number of seconds")
    members.require(toS != nil, "to_s is missing: a number of seconds")
  }
}

package struct SegmentEditRequest: LogbookRequest {
  package typealias Reply = SegmentRecord
  package static let method = LogbookMethod.segmentEdit
  package var id = 0
  package var name = ""

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.renamed(&id, &name)
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

  fileprivate mutating func renamed(_ id: inout Int, _ name: inout String) {
    needed(id: "id", &id)
    needed(text: "name", &name, atMost: RequestLimits.name)
  }

  fileprivate mutating func part(_ fromS: inout Double?, _ toS: inout Double?) {
    number("from_s", &fromS, in: RequestLimits.seconds)
    number("to_s", &toS, in: RequestLimits.seconds)
    require((fromS ?? 0) < (toS ?? .infinity), "from_s is less than to_s")
  }
}

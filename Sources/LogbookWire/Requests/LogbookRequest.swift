// The requests of logbook.sock. Each is declared once, with its parameters and its reply: the
// recorder reads what clients write.

package import JSON
package import Wire

package protocol LogbookRequest: RequestParameters {
  associatedtype Reply: WireObject
  static var method: LogbookMethod { get }
}

/// The object `params` of a request.
package protocol RequestParameters: Equatable, Sendable {
  /// Nothing is asked for yet.
  init()
  mutating func visit(_ members: inout RequestMembers)
}

extension RequestParameters {
  /// Refuses parameters that are missing or have the wrong type or size.
  package init(_ params: JSONValue) throws(Refusal) {
    self.init()
    var reading = RequestMembers(reading: params)
    visit(&reading)
    if let refusal = reading.refusal { throw refusal }
  }

  /// The object `params`.
  package func writeParameters(into writer: inout JSONWriter) {
    var copy = self
    writer.beginObject()
    var writing = RequestMembers(writing: writer)
    // Otherwise two would hold the buffer, and writing would copy it.
    writer = JSONWriter()
    copy.visit(&writing)
    writer = writing.writer ?? writer
    writer.endObject()
  }
}

extension JSONWriter {
  /// Writes a request as a client sends it, without the line feed.
  package mutating func request<Asked: LogbookRequest>(_ id: RequestID, _ request: Asked) {
    beginObject()
    member("id", id)
    member("method", Asked.method.rawValue)
    member("params")
    request.writeParameters(into: &self)
    endObject()
  }
}

/// A request without parameters.
package protocol PlainRequest: LogbookRequest {}

extension PlainRequest {
  package mutating func visit(_ members: inout RequestMembers) {}
}

package enum LogbookMethod: String, CaseIterable, Sendable {
  case status, list, show, laps, series, track, stats, fitness, records
  case export, backup, `import`, put
  case add, edit, crop, split, join, revert, delete, restore
  case routes, route, routeAdd = "route_add", routeEdit = "route_edit", routeRemove = "route_remove"
  case segments, segment, segmentPropose = "segment_propose", segmentAdd = "segment_add", segmentEdit = "segment_edit"
  case segmentRemove = "segment_remove", efforts
  case subscribe, unsubscribe, cancel, ping

  package init(_ name: String) throws(Refusal) {
    guard let method = LogbookMethod(rawValue: name) else {
      throw Refusal(.unknownMethod, "no method is called \(String(name.prefix(64)))")
    }
    self = method
  }
}

/// A request with its typed parameters, as the recorder executes it.
package enum LogbookCall: Equatable, Sendable {
  case status, backup, subscribe, unsubscribe, cancel, ping
  case list(ListRequest)
  case show(ShowRequest)
  case laps(LapsRequest)
  case series(SeriesRequest)
  case track(TrackRequest)
  case stats(StatisticsRequest)
  case fitness(FitnessRequest)
  case records(RecordsRequest)
  case export(ExportRequest)
  case `import`(ImportRequest)
  case put(PutRequest)
  case add(AddRequest)
  case edit(EditRequest)
  case crop(CropRequest)
  case split(SplitRequest)
  case join(JoinRequest)
  case revert(RevertRequest)
  case delete(DeleteRequest)
  case restore(RestoreRequest)
  case routes(RoutesRequest)
  case route(RouteRequest)
  case routeAdd(RouteAddRequest)
  case routeEdit(RouteEditRequest)
  case routeRemove(RouteRemoveRequest)
  case segments(SegmentsRequest)
  case segment(SegmentRequest)
  case segmentPropose(SegmentProposeRequest)
  case segmentAdd(SegmentAddRequest)
  case segmentEdit(SegmentEditRequest)
  case segmentRemove(SegmentRemoveRequest)
  case efforts(EffortsRequest)

  /// Refuses an unknown method, and parameters that are missing or have the wrong type.
  package init(_ request: Request) throws(Refusal) {
    let params = request.params
    switch try LogbookMethod(request.method) {
    case .status: self = try Self.plain(.status, params)
    case .backup: self = try Self.plain(.backup, params)
    case .subscribe: self = try Self.plain(.subscribe, params)
    case .unsubscribe: self = try Self.plain(.unsubscribe, params)
    case .cancel: self = try Self.plain(.cancel, params)
    case .ping: self = try Self.plain(.ping, params)
    case .list: self = .list(try ListRequest(params))
    case .show: self = .show(try ShowRequest(params))
    case .laps: self = .laps(try LapsRequest(params))
    case .series: self = .series(try SeriesRequest(params))
    case .track: self = .track(try TrackRequest(params))
    case .stats: self = .stats(try StatisticsRequest(params))
    case .fitness: self = .fitness(try FitnessRequest(params))
    case .records: self = .records(try RecordsRequest(params))
    case .export: self = .export(try ExportRequest(params))
    case .import: self = .import(try ImportRequest(params))
    case .put: self = .put(try PutRequest(params))
    case .add: self = .add(try AddRequest(params))
    case .edit: self = .edit(try EditRequest(params))
    case .crop: self = .crop(try CropRequest(params))
    case .split: self = .split(try SplitRequest(params))
    case .join: self = .join(try JoinRequest(params))
    case .revert: self = .revert(try RevertRequest(params))
    case .delete: self = .delete(try DeleteRequest(params))
    case .restore: self = .restore(try RestoreRequest(params))
    case .routes: self = .routes(try RoutesRequest(params))
    case .route: self = .route(try RouteRequest(params))
    case .routeAdd: self = .routeAdd(try RouteAddRequest(params))
    case .routeEdit: self = .routeEdit(try RouteEditRequest(params))
    case .routeRemove: self = .routeRemove(try RouteRemoveRequest(params))
    case .segments: self = .segments(try SegmentsRequest(params))
    case .segment: self = .segment(try SegmentRequest(params))
    case .segmentPropose: self = .segmentPropose(try SegmentProposeRequest(params))
    case .segmentAdd: self = .segmentAdd(try SegmentAddRequest(params))
    case .segmentEdit: self = .segmentEdit(try SegmentEditRequest(params))
    case .segmentRemove: self = .segmentRemove(try SegmentRemoveRequest(params))
    case .efforts: self = .efforts(try EffortsRequest(params))
    }
  }

  private static func plain(_ call: LogbookCall, _ params: JSONValue) throws(Refusal) -> LogbookCall {
    if let refusal = RequestMembers(reading: params).refusal { throw refusal }
    return call
  }
}

// MARK: Without parameters

package struct LogbookStatusRequest: PlainRequest {
  package typealias Reply = LogbookStatusReply
  package static let method = LogbookMethod.status
  package init() {}
}

package struct BackupRequest: PlainRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.backup
  package init() {}
}

/// `activity`, `segment` and `event` records follow, the current state first.
package struct LogbookSubscribeRequest: PlainRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.subscribe
  package init() {}
}

package struct LogbookUnsubscribeRequest: PlainRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.unsubscribe
  package init() {}
}

/// Ends the transfer of this connection, in either direction.
package struct CancelTransferRequest: PlainRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.cancel
  package init() {}
}

package struct LogbookPingRequest: PlainRequest {
  package typealias Reply = EmptyReply
  package static let method = LogbookMethod.ping
  package init() {}
}

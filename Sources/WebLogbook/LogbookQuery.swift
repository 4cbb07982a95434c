// What a request asks of the logbook. Its path, query and body become a request of logbook.sock,
// which is checked here, so that a mistake is refused without asking the recorder.

import HTTP
import JSON
import LogbookWire
import Wire

struct LogbookQuery {
  /// What the recorder's reply leads to.
  enum Form: Equatable {
    /// The result is the answer.
    case result
    /// A transfer of a JSON object.
    case document
    /// A transfer of a file, which browsers save.
    case file(type: String)
  }

  let form: Form
  /// How long the recorder may take to answer.
  let timeLimit: Duration
  let write: (RequestID, inout JSONWriter) -> Void

  init(_ request: HTTPRequest) throws(HTTPRefusal) {
    let path = Path(request.target.path)
    let read = LogbookQuery.parameters(request.target.query)
    switch (request.method, path.list, path.word) {
    case (.get, "stats", nil), (.head, "stats", nil): self = try .make(StatisticsRequest.self, read)
    case (.get, "fitness", nil), (.head, "fitness", nil): self = try .make(FitnessRequest.self, read)
    case (.get, "records", nil), (.head, "records", nil): self = try .make(RecordsRequest.self, read)
    case (.get, _, _), (.head, _, _): self = try .reading(path, read)
    case (.post, _, nil): self = try .adding(to: path.list, Self.body(of: request))
    case (.post, "activities", .some(let change)): self = try .changing(path, change, request)
    case (.patch, "activities", nil):
      self = try .make(EditRequest.self, path.versioned(request))
    case (.patch, "routes", nil): self = try .make(RouteEditRequest.self, Self.body(of: request) + path.identified())
    case (.patch, "segments", nil):
      self = try .make(SegmentEditRequest.self, Self.body(of: request) + path.identified())
    case (.delete, "activities", nil): self = try .make(DeleteRequest.self, path.versioned(request))
    case (.delete, "routes", nil): self = try .make(RouteRemoveRequest.self, path.identified())
    case (.delete, "segments", nil): self = try .make(SegmentRemoveRequest.self, path.identified())
    default: throw HTTPRefusal(.notFound, "the logbook cannot do this with \(path.list)")
    }
  }

  private init<Asked: LogbookRequest>(_ asked: Asked, _ form: Form, _ timeLimit: Duration) {
    (self.form, self.timeLimit) = (form, timeLimit)
    write = { id, writer in writer.request(id, asked) }
  }

  private static func make<Asked: LogbookRequest>(
    _ type: Asked.Type, _ parameters: [JSONValue.Member], _ form: Form = .result,
    timeLimit: Duration = LogbookAnswer.answerTime
  ) throws(HTTPRefusal) -> LogbookQuery {
    do throws(Refusal) {
      return LogbookQuery(try Asked(.object(parameters)), form, timeLimit)
    } catch {
      throw HTTPRefusal(.badRequest, error.message)
    }
  }
}

// MARK: Requests that read

extension LogbookQuery {
  private static func reading(_ path: Path, _ query: [JSONValue.Member]) throws(HTTPRefusal) -> LogbookQuery {
    switch (path.list, path.id, path.word) {
    case ("activities", nil, _): return try make(ListRequest.self, query)
    case ("routes", nil, _): return try make(RoutesRequest.self, query)
    case ("segments", nil, _): return try make(SegmentsRequest.self, query)
    case ("activities", _, nil): return try make(ShowRequest.self, path.identified())
    case ("activities", _, "laps"): return try make(LapsRequest.self, query + path.identified())
    case ("activities", _, "series"): return try make(SeriesRequest.self, query + path.identified(), .document)
    case ("activities", _, "track"): return try make(TrackRequest.self, query + path.identified(), .document)
    case ("activities", _, "proposals"):
      // The recorder reads many hours of rides.
      return try make(SegmentProposeRequest.self, path.identified(as: "activity"), timeLimit: .seconds(120))
    case ("activities", _, "export"):
      return try make(ExportRequest.self, query + path.identified(), .file(type: fileType(query)))
    case ("routes", _, nil):
      let format = query.last { $0.name == "format" }?.value.text
      let form = format == nil || format == "json" ? Form.document : .file(type: fileType(query))
      return try make(RouteRequest.self, query + path.identified(), form)
    case ("segments", _, nil): return try make(EffortsRequest.self, query + path.identified(as: "segment"))
    default: throw HTTPRefusal(.notFound, "the logbook has no such part of \(path.list)")
    }
  }

  private static func fileType(_ query: [JSONValue.Member]) -> String {
    switch query.last(where: { $0.name == "format" })?.value.text {
    case "gpx": "application/gpx+xml"
    case "tcx": "application/vnd.garmin.tcx+xml"
    case "csv": "text/csv; charset=utf-8"
    case "ndjson": "application/x-ndjson"
    case "fit": "application/vnd.ant.fit"
    default: "application/octet-stream"
    }
  }

  private static let numbers = ["activity", "after", "before", "limit", "points", "from_s", "to_s"]

  /// A value of the wrong type stays a string, and is refused by the request that it belongs to.
  private static func parameters(_ query: [RequestTarget.Parameter]) -> [JSONValue.Member] {
    query.map { parameter in
      let text = parameter.value
      var value = JSONValue.string(text)
      if numbers.contains(parameter.name), let number = Double(text) { value = .number(number) }
      if parameter.name == "deleted", text == "true" || text == "false" { value = .bool(text == "true") }
      if parameter.name == "fields" {
        value = .array(
          text.utf8.split(separator: UInt8(ascii: ",")).map { .string(String(decoding: $0, as: UTF8.self)) })
      }
      return JSONValue.Member(parameter.name, value)
    }
  }
}

// MARK: Requests that change

extension LogbookQuery {
  private static func adding(to list: String, _ body: [JSONValue.Member]) throws(HTTPRefusal) -> LogbookQuery {
    switch list {
    case "activities": return try make(AddRequest.self, body)
    case "routes": return try make(RouteAddRequest.self, body)
    case "segments": return try make(SegmentAddRequest.self, body)
    default: throw HTTPRefusal(.notFound, "the logbook has no list \(list)")
    }
  }

  private static func changing(
    _ path: Path, _ change: String, _ request: HTTPRequest
  ) throws(HTTPRefusal) -> LogbookQuery {
    switch change {
    case "crop": return try make(CropRequest.self, path.versioned(request))
    case "split": return try make(SplitRequest.self, path.versioned(request))
    case "revert": return try make(RevertRequest.self, path.versioned(request))
    case "restore": return try make(RestoreRequest.self, path.identified())
    case "join":
      let others = try body(of: request).last { $0.name == "ids" }?.value.items ?? []
      let own = try path.identified().map(\.value)
      return try make(JoinRequest.self, [JSONValue.Member("ids", .array(own + others))])
    default: throw HTTPRefusal(.notFound, "activities cannot be changed by \(change)")
    }
  }

  fileprivate static func body(of request: HTTPRequest) throws(HTTPRefusal) -> [JSONValue.Member] {
    if request.body.isEmpty { return [] }
    do throws(JSONError) {
      if let members = try JSONValue.parse(request.body).members { return members }
    } catch {
      throw HTTPRefusal(.badRequest, "the body is not JSON: \(error)")
    }
    throw HTTPRefusal(.badRequest, "the body is not a JSON object")
  }
}

// MARK: The path

/// `/api/1/activities/12/series` in its parts.
private struct Path {
  let list: String
  let id: String?
  let word: String?

  init(_ segments: [String]) {
    list = segments.count > 2 ? segments[2] : ""
    id = segments.count > 3 ? segments[3] : nil
    word = segments.count > 4 ? segments[4] : nil
  }

  /// The id as a parameter.
  func identified(as name: String = "id") throws(HTTPRefusal) -> [JSONValue.Member] {
    guard let id, let number = Int(id), RequestLimits.ids.contains(number) else {
      throw HTTPRefusal(.notFound, "\(list) have numbers from 1, and \(id ?? "") is none")
    }
    return [JSONValue.Member(name, .number(Double(number)))]
  }

  /// What the body has, the id, and the version that the change builds on.
  func versioned(_ request: HTTPRequest) throws(HTTPRefusal) -> [JSONValue.Member] {
    let tags = request.fields.elements(of: "if-match")
    guard !tags.isEmpty else {
      throw HTTPRefusal(.preconditionRequired, "If-Match has to name the version that this change builds on")
    }
    let parameters = try LogbookQuery.body(of: request) + identified()
    if tags == ["*"] { return parameters }
    guard tags.count == 1, let version = VersionTag.version(of: tags[0]) else {
      throw HTTPRefusal(.preconditionFailed, "If-Match is not a version of an activity")
    }
    return parameters + [JSONValue.Member("if_version", .number(Double(version)))]
  }
}

/// The version of an activity as ETag and If-Match have it: `"3"`.
enum VersionTag {
  static func tag(of version: Int) -> String { "\"\(version)\"" }

  static func version(of tag: String) -> Int? {
    guard tag.utf8.count > 2, tag.utf8.first == UInt8(ascii: "\""), tag.utf8.last == UInt8(ascii: "\"") else {
      return nil
    }
    return Int(tag.dropFirst().dropLast()).flatMap { RequestLimits.ids.contains($0) ? $0 : nil }
  }
}

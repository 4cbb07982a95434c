// A recorder in the loop of a test. It lists the segments of the test, and sends their documents.

import EventLoop
import Linux
import LogbookWire
import ProgramKit
import Serving
import TestSupport
import Wire

final class PlayedRecorder: RequestHandler {
  let path: String
  let folder: TemporaryFolder
  private let loop: EventLoop
  private var publisher: Publisher
  private var socket: ServiceSocket?
  /// The newest one first.
  var segments: [SegmentRecord] = []
  /// What is sent instead of the document of a segment.
  var documents: [Int: String] = [:]
  /// Refused, by the ids of segments.
  var refusals: [Int: Refusal] = [:]
  /// Whether it answers requests for routes.
  var answersRoutes = true
  /// The segments that were asked for, in that order.
  private(set) var asked: [Int] = []
  private var transfers = 0
  /// Clients that wait for a route.
  private var waiting: [Client] = []

  init(_ loop: EventLoop) throws {
    ignoreBrokenPipes()
    self.loop = loop
    folder = try TemporaryFolder()
    path = folder.file("logbook.sock")
    publisher = Publisher(loop: loop)
  }

  func start() throws {
    publisher = Publisher(loop: loop)
    let hello = LogbookHelloRecord(release: "0.0.0", instance: "played", clientLimit: ServiceSocket.clientLimit)
    socket = ServiceSocket(
      "logbook", of: "recorder", loop: loop, publisher: publisher, hello: hello, handler: self, log: Log { _ in })
    try socket?.listen(at: path)
  }

  func stop() {
    socket?.close()
    socket = nil
  }

  func announce(_ change: SegmentChange, _ id: Int) { publisher.publish(SegmentChangeRecord(change, id)) }

  func announce(_ change: RouteChange, route id: Int) { publisher.publish(RouteChangeRecord(change, id)) }

  /// A segment that goes north for 20 m times the number of points.
  func add(_ id: Int, points: Int) {
    var record = SegmentRecord()
    (record.id, record.name) = (id, "Segment \(id)")
    segments.insert(record, at: 0)
    let line = (0..<points).map { #"{"latitude_deg":\#(47 + Double($0) * 0.00018),"longitude_deg":8.5}"# }
    documents[id] = #"{"segment":{"id":\#(id),"name":"Segment \#(id)"},"points":[\#(line.joined(separator: ","))]}"#
  }

  var waitingClients: Int { waiting.count }

  func forgetAsked() { asked = [] }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    switch try LogbookCall(request) {
    case .subscribe: return .done.then { client.subscribe(Filter(snapshot: false)) }
    case .segments(let page):
      let limit = page.limit ?? 50
      var reply = SegmentsReply()
      let rest = segments.drop { segment in page.before.map { segment.id >= $0 } ?? false }
      reply.segments = Array(rest.prefix(limit))
      reply.hasMore = rest.count > limit
      return .reply(reply)
    case .segment(let wanted):
      asked.append(wanted.id)
      if let refusal = refusals[wanted.id] { throw refusal }
      transfers += 1
      let (transfer, content) = (transfers, Array((documents[wanted.id] ?? "").utf8))
      return .reply(TransferReply(transfer: transfer)).then {
        client.send(DataRecord(transfer: transfer, offset: 0, content, isLast: true))
      }
    case .route:
      guard answersRoutes else {
        waiting.append(client)
        return .later
      }
      throw Refusal(.noSuchActivity, "there is no such route")
    default: return .done
    }
  }

  func ended(_ client: Client) { waiting.removeAll { $0 === client } }
}

// A guide as the dashboard's server sees it: guide.sock in the loop of the test.

import EventLoop
import JSON
import ProgramKit
import Serving
import Time
import Wire

final class FakeGuide: RequestHandler {
  private let publisher: Publisher
  private let loop: EventLoop
  private var sockets: SocketServer?
  private var seq = 0
  private(set) var requests: [String] = []
  /// Connections that have subscribed and not ended.
  private(set) var subscribers = 0
  private var subscribed: [ObjectIdentifier] = []
  /// Accepts connections and answers nothing, but for subscriptions.
  var isFrozen = false

  init(in folder: String, _ loop: EventLoop) throws {
    self.loop = loop
    publisher = Publisher(loop: loop)
    let sockets = SocketServer(
      loop: loop, log: Log(level: .error), publisher: publisher, hello: HelloRecord(release: "0.1.0", instance: "g"),
      handler: self)
    try sockets.listen(at: folder + "/guide.sock", mode: 0o600, role: SocketRole("guide"))
    self.sockets = sockets
  }

  func stop() {
    sockets?.close()
    sockets = nil
  }

  func ended(_ client: Client) {
    let id = ObjectIdentifier(client)
    guard subscribed.contains(id) else { return }
    subscribed.removeAll { $0 == id }
    subscribers -= 1
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    if request.method == "subscribe" {
      subscribers += 1
      subscribed.append(ObjectIdentifier(client))
      return .done.then { client.subscribe(Filter(snapshot: false)) }
    }
    requests.append("\(request.method) \(request.params.encoded)")
    guard !isFrozen else { return .later }
    switch request.method {
    case "status":
      return .result { $0.value(["connected": true, "coach": ["sport": "off", "preference_per_min": 0]]) }
    case "follow" where request.params["route"] == 9:
      throw Refusal(.noSuchActivity, "there is no route 9")
    default: return .result { $0.value(request.params == .null ? [:] : request.params) }
    }
  }

  func sample(_ kind: String) {
    seq += 1
    publisher.publish(
      TestRecord(
        "sample",
        [
          .init("sensor", "guide"), .init("kind", .string(kind)), .init("seq", .number(Double(seq))),
          .init("t", .number(loop.now.seconds)),
        ]))
  }

  /// A change of the status: a route is followed.
  func follow(_ route: Int) {
    publisher.publish(
      TestRecord(
        "guide",
        [
          .init("connected", true), .init("coach", ["sport": "off", "preference_per_min": 0]),
          .init("following", ["route": .number(Double(route))]),
        ]))
  }
}

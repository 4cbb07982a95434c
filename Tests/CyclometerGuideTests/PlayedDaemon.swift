// A daemon in the loop of a test, which has positions only.

import Earth
import EventLoop
import ProgramKit
import SensorKit
import Serving
import Vocabulary
import Wire

final class PlayedDaemon: RequestHandler {
  private let loop: EventLoop
  private let publisher: Publisher
  private var socket: ServiceSocket?
  private var batch = Batch()

  init(_ loop: EventLoop, at path: String) throws {
    self.loop = loop
    publisher = Publisher(loop: loop)
    let hello = HelloRecord(release: "0.0.0", instance: "played", clientLimit: ServiceSocket.clientLimit)
    socket = ServiceSocket(
      "metrics", of: "daemon", loop: loop, publisher: publisher, hello: hello, handler: self, log: Log { _ in })
    try socket?.listen(at: path)
  }

  func stop() { socket?.close() }

  func publish(_ position: Coordinate) {
    batch.removeAll()
    batch.sample(SampleKind("position"))
    batch.set(Field("latitude_deg"), position.latitude)
    batch.set(Field("longitude_deg"), position.longitude)
    let stream = publisher.stream("ride", SampleKind("position"))
    for index in batch.entryIndices { publisher.publish(batch.entry(index), of: batch, on: stream, at: loop.now) }
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    return .done.then { if request.method == "subscribe" { client.subscribe(Filter(snapshot: false)) } }
  }

  func ended(_ client: Client) {}
}

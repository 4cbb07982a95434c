// What one page has the daemon do: a connection of its own, whose records go to the page's stream.
// It outlives the stream for a moment, so that the page can open another stream in its place.

import EventLoop
import Time

final class PageTask {
  /// A page whose stream has ended opens another one within this time, or is gone.
  private static let longestAbsence = Duration.seconds(5)
  private static let mostWaiting = 64

  let phone: Int
  private let loop: EventLoop
  private var connection: ControlConnection?
  private weak var stream: PageStream?
  /// Records that came while there was no stream.
  private var waiting: [[UInt8]] = []
  private var absence: Deadline?

  init(of stream: PageStream, in loop: EventLoop) {
    (self.stream, self.loop, phone) = (stream, loop, stream.phone)
  }

  func use(_ connection: ControlConnection) { self.connection = connection }

  /// The parameters are an object in JSON.
  func send(_ method: String, _ parameters: ArraySlice<UInt8>, _ done: @escaping ControlConnection.Done) {
    connection?.send(method, parameters, done)
  }

  func receive(_ line: [UInt8]) {
    if let stream {
      stream.send(taskRecord: line)
    } else if waiting.count < Self.mostWaiting {
      waiting.append(line)
    }
  }

  /// The page has opened another stream.
  func move(to stream: PageStream) {
    absence?.cancel()
    absence = nil
    self.stream = stream
    for line in waiting { stream.send(taskRecord: line) }
    waiting = []
  }

  /// The stream has ended. `isOver` is called if no other takes its place.
  func wait(isOver: @escaping () -> Void) {
    stream = nil
    absence = loop.schedule(after: Self.longestAbsence, isOver)
  }

  func close() {
    absence?.cancel()
    connection?.close()
  }
}

// A connection to the recorder in an event loop: requests out, records in. Handlers are called from
// the loop, never from within a call to the link.

package import CyclometerClient
package import EventLoop
package import JSON
import Linux
import LogbookWire
package import Wire

package final class LogbookLink {
  private let loop: EventLoop
  private let path: String
  private let onRecord: (ReceivedRecord) -> Void
  private let onEnd: (ClientError) -> Void
  private var stream: RecordStream?
  private var watch: Watch?
  private var hook: Hook?
  private var greeting: LogbookHelloRecord?
  /// Requests that wait for the greeting.
  private var waiting: [[UInt8]] = []
  private var lastRequest = 0
  private var isPaused = false
  private var isClosed = false
  /// Why it ends, at the end of this iteration.
  private var failure: ClientError?

  /// Connects in the next iteration of the loop. `onEnd` is called at most once, unless this side
  /// closes the connection.
  package init(
    to path: String, in loop: EventLoop, onRecord: @escaping (ReceivedRecord) -> Void,
    onEnd: @escaping (ClientError) -> Void
  ) {
    (self.path, self.loop) = (path, loop)
    (self.onRecord, self.onEnd) = (onRecord, onEnd)
    hook = loop.makeHook { [weak self] in self?.serve() }
    hook?.schedule()
  }

  deinit { watch?.cancel() }

  /// Returns the `id` of the answer.
  @discardableResult
  package func send(_ write: (RequestID, inout JSONWriter) -> Void) -> Int {
    lastRequest += 1
    do throws(ClientError) {
      let line = try requestLine(limit: greeting?.lineLimit ?? LineSplitter.protocolLimit) { writer in
        write(RequestID(lastRequest), &writer)
      }
      if greeting == nil { waiting.append(line) } else { try stream?.send(line.span, until: loop.now) }
    } catch {
      failure = error
      hook?.schedule()
    }
    return lastRequest
  }

  /// Reads nothing more until `resume`, so that the recorder waits too.
  package func pause() { isPaused = true }

  package func resume() {
    guard isPaused else { return }
    isPaused = false
    hook?.schedule()
  }

  /// No handler is called afterwards.
  package func close() {
    isClosed = true
    watch?.cancel()
    (watch, stream) = (nil, nil)
  }

  private func serve() {
    guard !isClosed else { return }
    do throws(ClientError) {
      if let failure { throw failure }
      if stream == nil { try connect() }
      try read()
    } catch {
      return end(error)
    }
    follow()
  }

  private func connect() throws(ClientError) {
    let stream = try RecordStream(path: path)
    self.stream = stream
    do throws(SystemError) {
      watch = try loop.watch(stream.number, for: .readable) { [weak self] _ in self?.serve() }
    } catch {
      throw .system(error)
    }
  }

  private func read() throws(ClientError) {
    while !isPaused, !isClosed, let record = try stream?.nextArrived() {
      if greeting == nil { try greet(record) } else { onRecord(record) }
    }
  }

  private func greet(_ record: ReceivedRecord) throws(ClientError) {
    if record.recordClass == "error" { throw record.refusal }
    guard let hello = LogbookHelloRecord(record.content), hello.logbookVersion.hasPrefix("1.") else {
      throw .notUnderstood("\(path): what listens there is not a recorder of this version")
    }
    greeting = hello
    for line in waiting { try stream?.send(line.span, until: loop.now) }
    waiting = []
  }

  /// What is unread would wake the loop again and again while this is paused.
  private func follow() {
    do throws(SystemError) {
      try watch?.change(to: isPaused ? [] : .readable)
    } catch {
      end(.system(error))
    }
  }

  private func end(_ error: ClientError) {
    guard !isClosed else { return }
    close()
    onEnd(error)
  }
}

// One connection to a daemon that closes it, does not read, or does not answer.

import CyclometerClient
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct ConnectionTests {
  /// Sends until the connection fails, and returns the error.
  private func failure(
    of connection: CyclometerClient.Connection, sending parameters: JSONValue? = nil, within time: Duration
  ) -> ClientError {
    while true {
      do throws(ClientError) {
        try connection.send("ping", parameters, until: MonotonicTime.now + time)
      } catch {
        return error
      }
    }
  }

  @Test("the daemon's reason for closing is reported, if it sent one", arguments: [true, false])
  func closedByDaemon(isSaid: Bool) throws {
    let words = #"{"class":"error","code":"too_slow","message":"you do not read"}"# + "\n"
    let server = try FakeServer([{ $0.send(FakeServer.hello() + FakeServer.sample(1) + (isSaid ? words : "")) }])
    defer { server.stop() }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: testTimeout)
    let expected: ClientError = isSaid ? .refused(code: "too_slow", message: "you do not read") : .closed
    #expect(failure(of: connection, within: testTimeout) == expected)
  }

  @Test("sending to a daemon that does not read times out")
  func stalledDaemon() throws {
    let end = try Waker()
    let server = try FakeServer([
      { server in
        server.send(FakeServer.hello())
        _ = try? Waiting.untilReadable(end.number, deadline: .now + testTimeout)
      }
    ])
    defer {
      end.wake()
      server.stop()
    }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: testTimeout)
    let much = JSONValue.string(String(repeating: "x", count: 60_000))
    #expect(failure(of: connection, sending: much, within: .milliseconds(100)) == .timeout)
    #expect(failure(of: connection, within: testTimeout) == .closed, "half a line has been sent")
  }

  @Test("an unanswered request times out")
  func unansweredRequest() throws {
    let server = try FakeServer([
      { server in
        server.send(FakeServer.hello())
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: testTimeout)
    #expect(throws: ClientError.timeout) { try connection.request("ping", within: .milliseconds(100)) }
  }
}

// One connection, and a daemon that ends it, takes nothing or says nothing.

import CyclometerClient
import Linux
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
  /// What it fails with in the end.
  private func failure(
    of connection: CyclometerClient.Connection, sending parameters: JSON? = nil, within time: Duration
  ) -> ClientError {
    while true {
      do throws(ClientError) {
        try connection.send("ping", parameters, until: BootTime.now + time)
      } catch {
        return error
      }
    }
  }

  @Test(arguments: [true, false])
  func whoWasSentAwayIsToldWhyWhereItWasSaid(isSaid: Bool) throws {
    let words = #"{"class":"error","code":"too_slow","message":"you do not read"}"# + "\n"
    let server = try FakeServer([{ $0.send(FakeServer.hello() + FakeServer.sample(1) + (isSaid ? words : "")) }])
    defer { server.stop() }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: patience)
    let expected: ClientError = isSaid ? .refused(code: "too_slow", message: "you do not read") : .closed
    #expect(failure(of: connection, within: patience) == expected)
  }

  @Test func aDaemonThatTakesNothingIsNotWaitedForForever() throws {
    let end = try Waker()
    let server = try FakeServer([
      { server in
        server.send(FakeServer.hello())
        _ = try? Waiting.untilReadable(end.number, deadline: .now + patience)
      }
    ])
    defer {
      end.wake()
      server.stop()
    }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: patience)
    let much = JSON.string(String(repeating: "x", count: 60_000))
    #expect(failure(of: connection, sending: much, within: .milliseconds(100)) == .timeout)
    #expect(failure(of: connection, within: patience) == .closed, "half a line cannot be taken back")
  }

  @Test func aRequestThatIsNotAnsweredTimesOut() throws {
    let server = try FakeServer([
      { server in
        server.send(FakeServer.hello())
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let connection = try CyclometerClient.Connection(to: server.endpoint, for: .read, within: patience)
    #expect(throws: ClientError.timeout) { try connection.request("ping", within: .milliseconds(100)) }
  }
}

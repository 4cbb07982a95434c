// What every verb uses: the command line, the output, and the connection to the daemon.

import CommandTable
import CycloCommands
import CyclometerClient
import Linux
import SensorKit
import Text
import Time
import Wire

struct Session {
  let invocation: Invocation
  let output: Output
  /// Called only by verbs that need it, because completion runs at every key.
  let loadPlugins: () -> PluginRegistry

  /// The plugins that this release knows; a daemon of another release may know others.
  var plugins: PluginRegistry { loadPlugins() }

  var isJSON: Bool { invocation.has(.json) }
  var style: Style { output.style }

  var endpoint: Endpoint {
    invocation.text(.socket).map { Endpoint(controlSocket: $0) } ?? .standard
  }

  func connect(for access: Access) throws(Failure) -> Connection {
    try explained { () throws(ClientError) in try Connection(to: endpoint, for: access) }
  }

  @discardableResult
  func ask<Reply: WireObject>(_ connection: Connection, _ query: Query<Reply>) throws(Failure) -> Received<Reply> {
    try explained { () throws(ClientError) in try connection.request(query) }
  }

  func sensors(_ connection: Connection) throws(Failure) -> [SensorRecord] {
    try ask(connection, .sensors).content.sensors
  }

  /// The last samples in the daemon, with their ages.
  func lastSamples(_ connection: Connection, _ filter: Filter = Filter()) throws(Failure) -> [Sample] {
    samples(in: try ask(connection, .poll(filter)).content)
  }

  /// The same on its own connection, sending the request before the daemon's greeting arrives.
  func lastSamples(_ filter: Filter) throws(Failure) -> [Sample] {
    let (endpoint, query) = (endpoint, Query.poll(filter))
    let reply = try explained { () throws(ClientError) in
      let connection = try Connection(to: endpoint, for: .read, asking: query.call)
      let end = MonotonicTime.now + .seconds(10)
      guard let reply = try connection.answer(to: Pending(1, query), until: end, other: { _ throws(ClientError) in })
      else { throw ClientError.timeout }
      return reply
    }
    return samples(in: reply.content)
  }

  private func samples(in reply: PollReply) -> [Sample] {
    reply.records.compactMap { SampleRecord($0) }.map { Sample($0, style) }
  }

  /// The ids of the sensors named with `--sensor`; none means all. The `derived` ones stand for samples
  /// that come from no single sensor.
  func chosenSensors(
    _ connection: @autoclosure () throws(Failure) -> Connection, derived: [String] = [SensorID.ride]
  ) throws(Failure) -> [String] {
    let words = invocation.texts(.sensor)
    guard words.contains(where: { !derived.contains($0) }) else { return words }
    let known = try sensors(connection())
    var ids: [String] = []
    for word in words { ids.append(derived.contains(word) ? word : try sensor(called: word, among: known).id) }
    return ids
  }
}

/// Runs `body` and turns an error of the client into this program's failure.
func explained<Result>(_ body: () throws(ClientError) -> Result) throws(Failure) -> Result {
  do throws(ClientError) {
    return try body()
  } catch {
    throw Failure(error)
  }
}

/// The protocol writes `heart_rate`; people also write `heart-rate`.
func kindName(_ word: String) -> String {
  let bytes = word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  return String(decoding: bytes, as: UTF8.self)
}

func listed(_ words: [String]) -> String {
  words.map(printable).joined(separator: ", ")
}

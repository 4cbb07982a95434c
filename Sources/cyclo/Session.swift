// What every verb uses: the command line, the output, and the connection to the daemon.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import SensorKit
import Text
import Time

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
  func ask(
    _ connection: Connection, _ method: String, _ parameters: JSONValue? = nil
  ) throws(Failure) -> JSONValue {
    try explained { () throws(ClientError) in try connection.request(method, parameters) }
  }

  func sensors(_ connection: Connection) throws(Failure) -> [Sensor] {
    let result = try ask(connection, "sensors")
    return (result["sensors"]?.items ?? []).compactMap { Sensor($0) }
  }

  /// The last samples in the daemon, and when they were received.
  func lastSamples(_ connection: Connection, _ filters: JSONValue? = nil) throws(Failure) -> [JSONValue] {
    samples(in: try ask(connection, "poll", filters))
  }

  /// The same on its own connection, sending the request before the daemon's greeting arrives.
  func lastSamples(_ filters: JSONValue) throws(Failure) -> [JSONValue] {
    let endpoint = endpoint
    let result = try explained { () throws(ClientError) in
      let connection = try Connection(to: endpoint, for: .read, asking: ("poll", filters))
      let end = MonotonicTime.now + .seconds(10)
      guard let result = try connection.answer(to: 1, until: end, other: { _ throws(ClientError) in }) else {
        throw ClientError.timeout
      }
      return result
    }
    return samples(in: result)
  }

  private func samples(in result: JSONValue) -> [JSONValue] {
    (result["records"]?.items ?? []).filter { $0["class"]?.text == "sample" }
  }

  /// The ids of the sensors named with `--sensor`; none means all. `ride` stands for derived
  /// samples.
  func chosenSensors(_ connection: Connection) throws(Failure) -> [String] {
    let words = invocation.texts(.sensor)
    guard words.contains(where: { $0 != "ride" }) else { return words }
    let known = try sensors(connection)
    var ids: [String] = []
    for word in words { ids.append(word == "ride" ? word : try sensor(called: word, among: known).id) }
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
  String(word.lowercased().map { $0 == "-" ? "_" : $0 })
}

/// A list of texts, joined.
func listed(_ value: JSONValue?) -> String {
  (value?.items ?? []).compactMap(\.text).map(printable).joined(separator: ", ")
}

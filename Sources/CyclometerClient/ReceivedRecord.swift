// One line of the daemon's, parsed, and as it came: whoever passes records on passes on the very bytes.

public import Wire

public struct ReceivedRecord: Equatable, Sendable {
  /// Without the line feed.
  public let line: [UInt8]
  public let content: JSON

  /// Nil for a line that is no JSON object: a record that this client does not know.
  init?(line: [UInt8]) {
    guard let content = try? JSON.parse(line), content.members != nil else { return nil }
    self.line = line
    self.content = content
  }

  /// `sample`, `state`, ...; empty where there is none.
  public var recordClass: String { content["class"]?.text ?? "" }

  public subscript(_ name: String) -> JSON? { content[name] }

  /// The request that a reply or an error answers; nil for an error that is about none.
  var requestNumber: Int? { content["id"]?.integer }

  var refusal: ClientError {
    .refused(code: self["code"]?.text ?? "internal", message: self["message"]?.text ?? "the daemon gave no reason")
  }
}

/// The daemon's first words.
public struct Greeting: Equatable, Sendable {
  /// `1.0`
  public let protocolVersion: String
  public let release: String
  /// Another one after every start of the daemon: `seq` began anew.
  public let instance: String

  init?(_ record: ReceivedRecord) {
    guard record.recordClass == "hello", let version = record["protocol"]?.text else { return nil }
    protocolVersion = version
    release = record["release"]?.text ?? ""
    instance = record["instance"]?.text ?? ""
  }
}

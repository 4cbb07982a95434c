// One line of the daemon's, parsed, and as it came: whoever passes records on passes on the very bytes.

public import Wire

public struct ReceivedRecord: Equatable, Sendable {
  /// Without the line feed.
  public let line: [UInt8]
  public let content: JSON

  /// Nil for a line that is no JSON object: a record that this client does not know.
  init?(line: Span<UInt8>) {
    guard let content = try? JSON.parse(line), content.members != nil else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    for index in line.indices { bytes.append(line[index]) }
    self.line = bytes
    self.content = content
  }

  /// `sample`, `state`, ...; empty where there is none.
  public var recordClass: String { content["class"]?.text ?? "" }

  public subscript(_ name: String) -> JSON? { content[name] }

  /// The request that a reply or an error answers; nil for an error that is about none.
  var requestNumber: Int? { content["id"]?.integer }

  /// What an `error` record says.
  public var refusal: ClientError {
    .refused(code: self["code"]?.text ?? "internal", message: self["message"]?.text ?? "the daemon gave no reason")
  }
}

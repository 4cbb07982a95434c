// A line from the daemon, both parsed and as received, so that it can be passed on unchanged.

public import JSON
public import Wire

public struct ReceivedRecord: Equatable, Sendable {
  /// Without the line feed.
  public let line: [UInt8]
  public let content: JSONValue

  /// Nil for a line that is not a JSON object.
  package init?(line: Span<UInt8>) {
    guard let content = try? JSONValue.parse(line), content.members != nil else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    bytes.append(line)
    self.line = bytes
    self.content = content
  }

  /// What this release understands of it.
  public var message: Message { Message(content) }

  /// Such as `sample` or `state`; empty if missing.
  public var recordClass: String { content["class"]?.text ?? "" }

  public subscript(_ name: String) -> JSONValue? { content[name] }

  /// The request that a reply or error belongs to; nil for an error without a request.
  package var requestNumber: Int? { content["id"]?.integer }

  /// The content of an `error` record.
  public var refusal: ClientError {
    .refused(code: self["code"]?.text ?? "internal", message: self["message"]?.text ?? "the daemon gave no reason")
  }
}

// Records from text. Tests leave out what they do not look at.

import JSON
import Testing
import Wire

@testable import cyclo

func message(_ text: String) throws -> Message { Message(completed(try JSONValue.parse(text))) }

func sample(_ text: String) throws -> Sample { try sample(try JSONValue.parse(text)) }

func sample(_ json: JSONValue) throws -> Sample { Sample(try #require(SampleRecord(completed(json)))) }

func statusReply(_ text: String) throws -> StatusReply { try #require(StatusReply(try JSONValue.parse(text))) }

/// A sample always has a number and a time.
private func completed(_ json: JSONValue) -> JSONValue {
  guard let members = json.members else { return json }
  let missing = ["seq", "t"].filter { json[$0] == nil }
  return .object(members + missing.map { JSONValue.Member($0, 1) })
}

// A bonding with a question for the user: the pairing client is prompted, and its answer is passed
// on.

import JSON
import Radio
import TestSupport
import Testing

@testable import DaemonCore

@Suite struct PromptTests {
  private func beginPairing() throws -> (TestDaemon, TestClient) {
    let test = try TestDaemon()
    let client = try test.connect()
    client.send(#"{"id":7,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(1))
    test.radio.advertise()
    try test.run(for: .milliseconds(1))
    return (test, client)
  }

  private func answer(_ test: TestDaemon, _ client: TestClient, _ prompt: String, _ value: String) throws -> JSONValue?
  {
    client.send(#"{"id":8,"method":"answer","params":{"prompt":"\#(prompt)","value":\#(value)}}"#)
    try test.run(for: .milliseconds(1))
    return try client.reply(8)
  }

  @Test("the client is prompted for a passkey, and its answer is passed on")
  func passkey() throws {
    let (test, client) = try beginPairing()
    _ = test.radio.ask(.passkey)
    try test.run(for: .milliseconds(1))
    let prompt = try #require(try client.all("prompt").first)
    #expect(prompt["ask"] == "passkey" && prompt["sensor"] == "polar-h10-0001")
    let name = try #require(prompt["prompt"]?.text)
    #expect(try answer(test, client, name, "\"12x456\"")?["code"] == "bad_request")
    #expect(try answer(test, client, name, "1234567")?["code"] == "bad_request")
    #expect(try answer(test, client, "p77", "\"123456\"")?["code"] == "bad_request")
    #expect(test.radio.answers.isEmpty, "a bad answer leaves the question open")
    #expect(try answer(test, client, name, "\"012345\"")?["class"] == "reply")
    #expect(test.radio.answers == [.passkey(12345)])
    #expect(try answer(test, client, name, "\"012345\"")?["code"] == "bad_request", "a question is answered once")
  }

  @Test(
    "the client can confirm or refuse a passkey",
    arguments: [("true", true), ("\"yes\"", true), ("false", false), ("\"no\"", false)])
  func confirmation(_ row: (value: String, isConfirmed: Bool)) throws {
    let (test, client) = try beginPairing()
    _ = test.radio.ask(.confirmation(passkey: 42))
    try test.run(for: .milliseconds(1))
    let prompt = try #require(try client.all("prompt").first)
    #expect(prompt["ask"] == "confirm" && prompt["passkey"] == "000042")
    #expect(try answer(test, client, prompt["prompt"]?.text ?? "", row.value)?["class"] == "reply")
    #expect(test.radio.answers == [row.isConfirmed ? .confirmed : nil])
  }

  @Test("without a pairing a question is refused")
  func noPairing() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    _ = test.radio.ask(.passkey)
    try test.run(for: .milliseconds(1))
    #expect(test.radio.answers == [nil])
    #expect(try client.all("prompt").isEmpty)
    #expect(try answer(test, client, "p1", "1")?["code"] == "bad_request")
  }

  @Test("a pairing that ends refuses its open question")
  func pairingEnds() throws {
    let (test, client) = try beginPairing()
    let question = test.radio.ask(.passkey)
    client.send(#"{"id":9,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    #expect(test.radio.answers == [nil] && !question.isOpen)
  }

  @Test("a withdrawn question cannot be answered")
  func withdrawn() throws {
    let (test, client) = try beginPairing()
    test.radio.ask(.passkey).withdraw()
    #expect(try answer(test, client, "p1", "1")?["code"] == "bad_request")
    #expect(test.radio.answers.isEmpty)
  }
}

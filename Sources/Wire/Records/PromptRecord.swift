// A question to the user during pairing. The method `answer` refers to it by its name.

public import JSON

public struct PromptRecord: Record {
  public static let className = "prompt"

  public enum Ask: String, CaseIterable, Sendable {
    /// The passkey that is shown by the sensor or printed on it.
    case passkey
    /// Whether the sensor shows the same passkey.
    case confirm
  }

  public let prompt: String
  public let ask: Ask
  public let sensor: String
  /// For a confirmation: the six-digit passkey that the sensor should show.
  public let passkey: String?

  public init(prompt: String, ask: Ask, sensor: String, passkey: String? = nil) {
    self.prompt = prompt
    self.ask = ask
    self.sensor = sensor
    self.passkey = passkey
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("prompt", prompt)
    writer.member("ask", ask.rawValue)
    writer.member("sensor", sensor)
    writer.member("passkey", passkey)
  }

  public init?(_ json: JSONValue) {
    guard let prompt = json["prompt"]?.text, let ask = json["ask"]?.text.flatMap(Ask.init) else { return nil }
    self.init(prompt: prompt, ask: ask, sensor: json["sensor"]?.text ?? "", passkey: json["passkey"]?.text)
  }
}

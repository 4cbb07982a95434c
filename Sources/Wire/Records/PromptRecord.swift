// A question to the user during pairing. The method `answer` refers to it by its name.

public struct PromptRecord: Record, WireObject {
  public static let className = "prompt"

  public enum Ask: String, CaseIterable, Sendable {
    /// The passkey that is shown by the sensor or printed on it.
    case passkey
    /// Whether the sensor shows the same passkey.
    case confirm
  }

  public private(set) var prompt = ""
  public private(set) var ask = WireWord<Ask>()
  public private(set) var sensor = ""
  /// For a confirmation: the six-digit passkey that the sensor should show.
  public private(set) var passkey: String?

  public init() {}

  public init(prompt: String, ask: Ask, sensor: String, passkey: String? = nil) {
    self.prompt = prompt
    self.ask = WireWord(ask)
    self.sensor = sensor
    self.passkey = passkey
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("prompt", &prompt)
    members.needed("ask", &ask)
    members.member("sensor", &sensor)
    members.member("passkey", &passkey)
  }
}

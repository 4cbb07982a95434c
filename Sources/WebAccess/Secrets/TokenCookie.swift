// The cookie with which a paired screen shows its token. Scripts cannot read it, and browsers do not
// send it with requests that other sites cause.

import HTTP

public enum TokenCookie {
  static let name = "cyclometer"
  /// Browsers keep no cookie for longer than 400 days.
  static let maxAge = 400 * 86_400

  /// The token that a request shows. None if the cookie was sent twice, because another server of
  /// this host can add one of the same name, and which comes first is up to the browser.
  static func token(in fields: HeaderFields) -> Secret? {
    let headers = fields.values(of: "cookie")
    guard headers.count == 1 else { return nil }
    let values = headers[0].utf8.split(separator: UInt8(ascii: ";")).compactMap(value)
    guard values.count == 1 else { return nil }
    let token = Secret(values[0])
    return token.hasForm(digits: 2 * Phone.tokenLength, radix: 16) ? token : nil
  }

  /// The value of a pair, if the cookie is ours.
  private static func value(_ pair: Substring.UTF8View) -> String? {
    let pair = pair.first == UInt8(ascii: " ") ? pair.dropFirst() : pair
    let start = Array("\(name)=".utf8)
    guard pair.starts(with: start) else { return nil }
    return String(decoding: pair.dropFirst(start.count), as: UTF8.self)
  }

  /// The value of `Set-Cookie` that hands a token over.
  public static func setting(_ token: Secret, for arrival: Arrival) -> String {
    "\(name)=\(token.reveal()); Max-Age=\(maxAge)" + attributes(arrival)
  }

  /// The value of `Set-Cookie` that takes it away.
  public static func clearing(for arrival: Arrival) -> String { "\(name)=; Max-Age=0" + attributes(arrival) }

  private static func attributes(_ arrival: Arrival) -> String {
    "; Path=/; HttpOnly; SameSite=Strict" + (arrival.isEncrypted ? "; Secure" : "")
  }
}

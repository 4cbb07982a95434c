// What every answer tells the browser to refuse: code and connections of others, framing, guessing
// of types, and devices that the page does not need. There is never a field that opens the server to
// other origins.

public import HTTP

extension HTTPResponse {
  public func securing() -> HTTPResponse {
    var response = self
    for (name, value) in Self.securityFields { response.set(name, value) }
    return response
  }

  static let securityFields: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", permissions),
  ]

  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "font-src 'self'",
    "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'", "require-trusted-types-for 'script'",
  ].joined(separator: "; ")

  private static let permissions =
    ([
      "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer",
      "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb", "xr-spatial-tracking",
    ].map { $0 + "=()" } + ["fullscreen=(self)", "screen-wake-lock=(self)"]).joined(separator: ", ")
}

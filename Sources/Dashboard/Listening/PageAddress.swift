// The address of the page for somebody who opens it on another screen.

struct PageAddress: Equatable {
  /// As a browser has it: `http://192.168.1.20:8081`.
  let origin: String
  /// Whether it leads to the computer on which it is opened.
  let isLocal: Bool
}

// The keys that are typed while a screen shows something.

import Linux
import Time

extension KeyDecoder {
  /// What was typed since the last call. Nil if the terminal was closed.
  mutating func typed() -> [Key]? {
    guard let isReady = try? Waiting.untilReadable(0, deadline: .now), isReady else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    guard case .done(let count) = try? readDescriptor(0, into: &bytes), count > 0 else { return nil }
    return feed(bytes[..<count]) + settle()
  }
}

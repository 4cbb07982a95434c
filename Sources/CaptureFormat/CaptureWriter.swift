// Writes capture lines as text that parses back to the same line.

import JSON
import Time
import Vocabulary

extension CaptureLine {
  /// Appends the line with its line feed.
  public func append(to buffer: inout [UInt8]) {
    switch self {
    case .blank: break
    case .comment(let text): buffer.append(contentsOf: "#\(text)".utf8)
    case .header: buffer.append(contentsOf: Self.headerText.utf8)
    case .device(let device): device.append(to: &buffer)
    case .setting(let device, let key, let value):
      buffer.append(contentsOf: "set \(device) \(key)=".utf8)
      buffer.appendWord(value)
    case .event(let time, let device, let event):
      buffer.appendCaptureTime(time)
      buffer.append(contentsOf: " \(device) ".utf8)
      event.append(to: &buffer)
    case .position(let time, let report):
      buffer.appendCaptureTime(time)
      buffer.append(contentsOf: " \(Self.positionName) \(report)".utf8)
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  public var text: String {
    var buffer: [UInt8] = []
    append(to: &buffer)
    return String(decoding: buffer.dropLast(), as: UTF8.self)
  }
}

extension CaptureDevice {
  fileprivate func append(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: "device \(id)".utf8)
    if let address {
      buffer.append(contentsOf: " address=".utf8)
      buffer.appendWord(address)
    }
    if let name {
      buffer.append(contentsOf: " name=".utf8)
      buffer.appendWord(name)
    }
    if !services.isEmpty {
      buffer.append(contentsOf: " services=\(services.map(\.description).joined(separator: ","))".utf8)
    }
  }
}

extension CaptureEvent {
  fileprivate func append(to buffer: inout [UInt8]) {
    switch self {
    case .connected: buffer.append(contentsOf: "connected".utf8)
    case .disconnected: buffer.append(contentsOf: "disconnected".utf8)
    case .value(let verb, let uuid, let value):
      buffer.append(contentsOf: "\(verb.rawValue) \(uuid) ".utf8)
      buffer.appendValue(value)
    case .advert(let company, let value):
      buffer.append(contentsOf: "advert ".utf8)
      buffer.appendHex(UInt8(company >> 8))
      buffer.appendHex(UInt8(company & 0xff))
      buffer.append(UInt8(ascii: " "))
      buffer.appendValue(value)
    case .serviceData(let uuid, let value):
      buffer.append(contentsOf: "service \(uuid) ".utf8)
      buffer.appendValue(value)
    }
  }
}

extension [UInt8] {
  /// Seconds with six decimals, so that columns align, or nine if the time is that precise.
  fileprivate mutating func appendCaptureTime(_ time: MonotonicTime) {
    let nanoseconds = UInt64(Swift.max(0, time.nanoseconds))
    appendDecimal(nanoseconds / 1_000_000_000)
    append(UInt8(ascii: "."))
    if nanoseconds % 1000 == 0 {
      appendPadded(nanoseconds / 1000 % 1_000_000, width: 6)
    } else {
      appendPadded(nanoseconds % 1_000_000_000, width: 9)
    }
  }

  fileprivate mutating func appendValue(_ value: [UInt8]) {
    if value.isEmpty { append(UInt8(ascii: "-")) }
    for byte in value { appendHex(byte) }
  }

  /// Appends a word, quoted if necessary. A line feed cannot be represented and becomes a space.
  fileprivate mutating func appendWord(_ word: String) {
    let needsQuotes = word.isEmpty || word.utf8.contains { isSpace($0) || $0 == UInt8(ascii: "\"") }
    if needsQuotes { append(UInt8(ascii: "\"")) }
    for byte in word.utf8 {
      if needsQuotes, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
    }
    if needsQuotes { append(UInt8(ascii: "\"")) }
  }
}

// Parses capture lines one at a time, so that a capture can be read from a pipe.

import JSON
import Time
import Vocabulary

extension CaptureLine {
  /// Parses one line without its line feed.
  public static func parse(_ line: Span<UInt8>) throws(CaptureError) -> CaptureLine {
    do { _ = try UTF8Span(validating: line) } catch {
      throw CaptureError("byte \(error.byteOffsets.lowerBound + 1) of the line is not UTF-8")
    }
    let bytes = line.indices.map { line[$0] }
    var text = bytes.drop(while: isSpace)
    while text.last == UInt8(ascii: "\r") { text.removeLast() }
    if text.isEmpty { return .blank }
    if text.first == UInt8(ascii: "#") { return try comment(text.dropFirst()) }

    var scanner = CaptureScanner(text)
    switch try scanner.word("a line") {
    case "device": return try device(&scanner)
    case "set": return try setting(&scanner)
    case let word: return try event(at: captureTime(word), &scanner)
    }
  }

  public static func parse(_ line: String) throws(CaptureError) -> CaptureLine {
    try parse(Array(line.utf8).span)
  }

  private static func comment(_ bytes: ArraySlice<UInt8>) throws(CaptureError) -> CaptureLine {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("cyclometer-capture") else { return .comment(text) }
    guard text.split(separator: " ") == ["cyclometer-capture", "1"] else {
      throw CaptureError("\"#\(text)\" is another version: \(headerText) is expected")
    }
    return .header
  }

  private static func device(_ scanner: inout CaptureScanner) throws(CaptureError) -> CaptureLine {
    var device = CaptureDevice(id: try deviceName(&scanner))
    while let word = try scanner.word() {
      let (key, value) = try keyAndValue(word)
      switch key {
      case "address": device.address = value
      case "name": device.name = value
      case "services": device.services = try services(value)
      default: throw CaptureError("\"\(key)\" is nothing a device has: address=, name= or services= is expected")
      }
    }
    return .device(device)
  }

  private static func services(_ list: String) throws(CaptureError) -> [BluetoothUUID] {
    var services: [BluetoothUUID] = []
    for word in list.split(separator: ",") {
      guard let uuid = BluetoothUUID(word) else { throw CaptureError("\"\(word)\" in services= is not a UUID") }
      services.append(uuid)
    }
    return services
  }

  private static func setting(_ scanner: inout CaptureScanner) throws(CaptureError) -> CaptureLine {
    let device = try deviceName(&scanner)
    let (key, value) = try keyAndValue(try scanner.word("KEY=VALUE"))
    try scanner.end()
    return .setting(device: device, key: key, value: value)
  }

  /// Names and keys are bare words, so that every line can be written back and searched for.
  private static func bareWord(_ word: String, _ meaning: String) throws(CaptureError) -> String {
    guard !word.isEmpty, !word.hasPrefix("#"), word.utf8.allSatisfy({ !isSpace($0) && $0 != UInt8(ascii: "\"") })
    else {
      throw CaptureError(
        "\"\(word)\" is not a \(meaning): white space, quotes and a # at the start are not allowed")
    }
    return word
  }

  private static func event(
    at time: MonotonicTime, _ scanner: inout CaptureScanner
  ) throws(CaptureError) -> CaptureLine {
    let device = try bareWord(try scanner.word("a device"), "name of a device")
    if device == positionName {
      return .position(time: time, report: String(decoding: scanner.rest, as: UTF8.self))
    }
    let event: CaptureEvent
    let word = try scanner.word("connected, disconnected, read, notify, indicate, write, advert or service")
    switch word {
    case "connected": event = .connected
    case "disconnected": event = .disconnected
    case "advert": event = .advert(try scanner.company(), try scanner.value())
    case "service": event = .serviceData(try scanner.uuid(), try scanner.value())
    default:
      guard let verb = CaptureEvent.Verb(rawValue: word) else {
        throw CaptureError(
          "\"\(word)\" is nothing that happens: connected, disconnected, read, notify, indicate, write, advert or "
            + "service is expected")
      }
      event = .value(verb, try scanner.uuid(), try scanner.value())
    }
    try scanner.end()
    return .event(time: time, device: device, event)
  }

  private static func deviceName(_ scanner: inout CaptureScanner) throws(CaptureError) -> String {
    let name = try bareWord(try scanner.word("the name of a device"), "name of a device")
    guard name != positionName else { throw CaptureError("no device can be called \(positionName)") }
    return name
  }

  private static func keyAndValue(_ word: String) throws(CaptureError) -> (String, String) {
    guard let place = word.firstIndex(of: "=") else {
      throw CaptureError("\"\(word)\" stands where KEY=VALUE is expected")
    }
    return (try bareWord(String(word[..<place]), "key"), String(word[word.index(after: place)...]))
  }
}

/// Reads a capture in pieces and counts its lines. A bad line is reported as an error, and reading
/// continues after it.
public struct CaptureReader {
  private var splitter = LineSplitter(skipsBlankLines: false)
  private var line = 0

  public init() {}

  public mutating func feed(_ bytes: Span<UInt8>, _ body: (Result<CaptureLine, CaptureError>, _ line: Int) -> Void) {
    var count = line
    let outcome = splitter.feed(bytes) { line in
      count += 1
      body(Self.parse(line, count), count)
      return true
    }
    line = count
    if outcome == .lineTooLong { tooLong(body) }
  }

  /// The end of the file. Its last line may lack a line feed.
  public mutating func finish(_ body: (Result<CaptureLine, CaptureError>, _ line: Int) -> Void) {
    let count = line + 1
    _ = splitter.finish { line in
      body(Self.parse(line, count), count)
      return true
    }
    splitter = LineSplitter(skipsBlankLines: false)
  }

  /// No sensor value is this long, so the rest is not a capture. Reported once.
  private mutating func tooLong(_ body: (Result<CaptureLine, CaptureError>, _ line: Int) -> Void) {
    guard line >= 0 else { return }
    let message = "the line is longer than \(LineSplitter.protocolLimit) bytes; reading ends here"
    body(.failure(CaptureError(line: line + 1, message)), line + 1)
    line = -1
  }

  private static func parse(_ line: Span<UInt8>, _ number: Int) -> Result<CaptureLine, CaptureError> {
    Result { () throws(CaptureError) in
      do throws(CaptureError) {
        return try CaptureLine.parse(line)
      } catch {
        throw CaptureError(line: number, error.message)
      }
    }
  }
}

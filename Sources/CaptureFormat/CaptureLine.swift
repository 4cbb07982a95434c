// One line of a capture file, the text format of bug reports, fixtures and the demo. Times are
// seconds from the start. A `#` at the beginning of a line or after white space starts a comment.
// Names with spaces are quoted, with `\"` and `\\` inside the quotes.

public import Time
public import Vocabulary

public enum CaptureLine: Equatable, Sendable {
  case blank
  /// The text after the `#`.
  case comment(String)
  /// `#cyclometer-capture 1`, the first line of a file.
  case header
  case device(CaptureDevice)
  case setting(device: String, key: String, value: String)
  case event(time: MonotonicTime, device: String, CaptureEvent)
  /// A report from gpsd, verbatim.
  case position(time: MonotonicTime, report: String)

  /// Nil for lines that are not events.
  public var time: MonotonicTime? {
    switch self {
    case .event(let time, _, _), .position(let time, _): time
    case .blank, .comment, .header, .device, .setting: nil
    }
  }
}

public struct CaptureDevice: Equatable, Sendable {
  /// The name that its lines use.
  public var id: String
  public var address: String?
  public var name: String?
  public var services: [BluetoothUUID]

  public init(id: String, address: String? = nil, name: String? = nil, services: [BluetoothUUID] = []) {
    self.id = id
    self.address = address
    self.name = name
    self.services = services
  }
}

public enum CaptureEvent: Equatable, Sendable {
  case connected
  case disconnected
  case value(Verb, BluetoothUUID, [UInt8])
  /// Manufacturer data, by company id.
  case advert(UInt16, [UInt8])
  /// Service data.
  case serviceData(BluetoothUUID, [UInt8])

  /// The operation on a characteristic.
  public enum Verb: String, CaseIterable, Sendable {
    case read, notify, indicate, write
  }
}

/// What is wrong with a line, and what was expected.
public struct CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Counted from 1; 0 if the line is not from a file.
  public var line: Int
  public let message: String

  public init(line: Int = 0, _ message: String) {
    self.line = line
    self.message = message
  }

  public var description: String { line == 0 ? message : "line \(line): \(message)" }
}

extension CaptureLine {
  public static let headerText = "#cyclometer-capture 1"
  /// The name in lines that carry gpsd's reports. No device can have it.
  public static let positionName = "gps"
}

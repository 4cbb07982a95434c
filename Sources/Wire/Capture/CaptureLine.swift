// One line of a capture file: the text format of bug reports, fixtures and the demo. Times are seconds from the start; a
// `#` at the beginning of a line or behind white space begins a comment. A name with spaces is quoted, with `\"` and `\\`
// inside the quotes.

public import SensorKit

public enum CaptureLine: Equatable, Sendable {
  case blank
  /// The text behind the `#`.
  case comment(String)
  /// `#cyclometer-capture 1`, which a file begins with.
  case header
  case device(CaptureDevice)
  case setting(device: String, key: String, value: String)
  case event(time: MonotonicTime, device: String, CaptureEvent)
  /// A report of gpsd's, verbatim.
  case position(time: MonotonicTime, report: String)

  /// Of what happened; nil for what only describes.
  public var time: MonotonicTime? {
    switch self {
    case .event(let time, _, _), .position(let time, _): time
    case .blank, .comment, .header, .device, .setting: nil
    }
  }
}

public struct CaptureDevice: Equatable, Sendable {
  /// What its lines call it.
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

  /// What was done with a characteristic.
  public enum Verb: String, CaseIterable, Sendable {
    case read, notify, indicate, write
  }
}

/// What is wrong with a line, and what should stand there.
public struct CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1; 0 where the line is not of a file.
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
  /// The name of the lines that carry gpsd's reports: no device can have it.
  public static let positionName = "gps"
}

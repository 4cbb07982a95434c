// The relevant parts of gpsd's JSON reports, see gpsd_json(5). Everything else, such as reports of
// other versions, is ignored without an error.

public import JSON
internal import Metrics
import Time

/// The class of a report, determined from its first bytes, so that unwanted reports cost nothing
/// more.
public enum GPSDClass: Sendable {
  case version, position, sky, device, devices

  private static let known: [(StaticString, GPSDClass)] = [
    (#"{"class":"TPV","#, .position), (#"{"class":"SKY","#, .sky), (#"{"class":"VERSION","#, .version),
    (#"{"class":"DEVICE","#, .device), (#"{"class":"DEVICES","#, .devices),
  ]

  /// gpsd writes the class first and no white space.
  public init?(_ line: Span<UInt8>) {
    for (opening, kind) in Self.known where line.has(opening, at: 0) {
      self = kind
      return
    }
    return nil
  }
}

/// A receiver as reported by gpsd.
public struct GPSDDevice: Equatable, Sendable {
  public let path: String
  public let isActive: Bool
  /// The shortest interval between fixes that can be set, in seconds; nil if it cannot be set.
  public let shortestCycle: Double?

  public init?(_ report: JSONValue) {
    guard let path = report["path"]?.text, path.utf8.count <= 256 else { return nil }
    self.path = path
    // The time of activation; 0 if the receiver is gone.
    isActive = report["activated"]?.text != nil
    shortestCycle = report["mincycle"]?.number.flatMap { $0 > 0 ? $0 : nil }
  }
}

/// The satellites as reported by a receiver.
struct GPSDSky: Sendable {
  let device: String?
  private(set) var satellites: Int?
  private(set) var dilution: Double?

  init(_ report: JSONValue) {
    device = report["device"]?.text
    dilution = report["hdop"]?.number.flatMap { 0.1...50 ~= $0 ? $0 : nil }
    // Before version 3.22, they have to be counted.
    satellites =
      report["uSat"]?.integer.flatMap { 0...255 ~= $0 ? $0 : nil }
      ?? report["satellites"]?.items.map { $0.count { $0["used"]?.bool == true } }
  }

  /// A cold receiver reports satellites before their dilution, so missing values keep the old ones.
  mutating func update(_ next: GPSDSky) {
    satellites = next.satellites ?? satellites
    dilution = next.dilution ?? dilution
  }
}

extension Fix {
  /// From a TPV report.
  init(_ report: JSONValue, at time: MonotonicTime) {
    let mode = report["mode"]?.integer.map { $0 >= 3 ? Mode.full : $0 == 2 ? .flat : .none } ?? .none
    self.init(time: time, mode: mode)
    func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
      report[name]?.number.flatMap { range.contains($0) ? $0 : nil }
    }
    epoch = report["time"]?.text.flatMap(secondsSince1970)
    guard mode > .none else { return }
    latitudeDeg = number("lat", -90...90)
    longitudeDeg = number("lon", -180...180)
    // Before version 3.20 there is only `alt`.
    altitudeM = mode == .full ? number("altMSL", -1_000...20_000) ?? number("alt", -1_000...20_000) : nil
    speedMps = number("speed", 0...500)
    courseDeg = number("track", 0...360)
    climbMps = number("climb", -200...200)
    accuracyM = number("eph", 0...1e6) ?? Self.radius(number("epx", 0...1e6), number("epy", 0...1e6))
    altitudeAccuracyM = number("epv", 0...1e6)
    speedAccuracyMps = number("eps", 0...1e6)
  }

  private static func radius(_ east: Double?, _ north: Double?) -> Double? {
    guard let east, let north else { return nil }
    return (east * east + north * north).squareRoot()
  }
}

/// The time in gpsd's format: `2026-11-21T12:00:02.000Z`.
func secondsSince1970(_ text: String) -> Double? {
  let letters = text.utf8.span
  guard letters.count >= 20, letters.count <= 30, letters[letters.count - 1] == UInt8(ascii: "Z") else { return nil }
  func number(_ range: Range<Int>) -> Int? {
    var value = 0
    for index in range {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= letters[index] else { return nil }
      value = value * 10 + Int(letters[index] - UInt8(ascii: "0"))
    }
    return value
  }
  guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
    let minute = number(14..<16), let second = number(17..<19), 1...12 ~= month, 1...31 ~= day
  else { return nil }
  var fraction = 0.0
  if letters[19] == UInt8(ascii: ".") {
    guard let digits = number(20..<letters.count - 1) else { return nil }
    var unit = 1.0
    for _ in 20..<letters.count - 1 { unit *= 10 }
    fraction = Double(digits) / unit
  }
  // Days since 1970 in the Gregorian calendar, with years that begin in March.
  let (shifted, months) = (month > 2 ? year : year - 1, (month + 9) % 12)
  let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * months + 2) / 5 + day - 719_469
  return Double(days * 86_400 + hour * 3_600 + minute * 60 + second) + fraction
}

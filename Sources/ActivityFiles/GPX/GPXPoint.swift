// A point of a GPX file while its elements are read: of a track, of a route, or by itself.

import Earth
import Expat

struct GPXPoint {
  enum Kind: Equatable {
    case track, route, waypoint

    init?(element: String) {
      switch element {
      case "trkpt": self = .track
      case "rtept": self = .route
      case "wpt": self = .waypoint
      default: return nil
      }
    }
  }

  let kind: Kind
  private(set) var values = ActivityPoint(t: 0)
  private(set) var time: DateText?
  private(set) var hasImpossibleTime = false
  private(set) var name: String?
  private(set) var note: String?
  private var type: String?
  private var symbol: String?
  /// Between this point of a route and the next one.
  private(set) var following: [Coordinate] = []

  init(_ kind: Kind, _ attributes: [XMLAttribute]) {
    self.kind = kind
    values.position = Self.position(attributes)
  }

  var position: Coordinate? { values.position }

  var routePoint: RoutePoint? { position.map { RoutePoint(position: $0, altitude: values[.altitude]) } }

  /// What the point tells a rider on a route; nil if it is only a place.
  var cue: RouteCue? {
    guard name != nil || note != nil || type != nil || symbol != nil else { return nil }
    let kind = [type, symbol].compactMap { $0.flatMap(CueKind.init(words:)) }.first { $0 != .generic }
    var cue = RouteCue(kind: kind ?? .generic, position: position)
    cue.name = name ?? note ?? type ?? symbol
    cue.note = name == nil ? nil : note
    return cue
  }

  /// A child of the point itself.
  mutating func setChild(_ name: String, _ text: String) {
    switch name {
    case "ele": values.set(.altitude, text: text)
    case "time":
      time = DateText(text)
      hasImpossibleTime = time == nil
    // In GPX 1.0.
    case "speed": values.set(.speed, text: text)
    case "name": self.name = text.trimmed(to: 200)
    case "desc": note = text.trimmed(to: 1000) ?? note
    case "cmt": note = note ?? text.trimmed(to: 1000)
    case "type": type = text.trimmed(to: 100)
    case "sym": symbol = text.trimmed(to: 100)
    default: break
    }
  }

  /// Anything in its extensions. False if the name is unknown.
  mutating func setExtension(_ name: String, _ text: String) -> Bool {
    guard let field = Self.fields[name] else { return Self.containers.contains(name) }
    values.set(field, text: text)
    return true
  }

  mutating func addFollowing(_ attributes: [XMLAttribute]) {
    if let position = Self.position(attributes) { following.append(position) }
  }

  private static let fields: [String: PointField] = [
    "hr": .heartRate, "heartrate": .heartRate, "cad": .cadence, "cadence": .cadence, "atemp": .airTemperature,
    "temp": .airTemperature, "temperature": .airTemperature, "power": .power, "PowerInWatts": .power, "watts": .power,
    "speed": .speed, "distance": .distance,
  ]

  private static let containers: Set<String> = [
    "extensions", "TrackPointExtension", "RoutePointExtension", "WaypointExtension", "rpt", "Subclass",
    "course", "bearing", "Extensions",
  ]

  private static func position(_ attributes: [XMLAttribute]) -> Coordinate? {
    let degrees = { (name: String) in
      attributes.first { $0.name.local == name }.flatMap { Double(decimal: $0.value) }
    }
    guard let latitude = degrees("lat"), let longitude = degrees("lon") else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

extension String {
  /// Without blanks around it, and not longer than that many scalars; nil if nothing is left.
  func trimmed(to count: Int) -> String? {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    var scalars = unicodeScalars.drop(while: isBlank)
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars.prefix(count)))
  }
}

extension CueKind {
  /// From the words of a planner, such as "Slight Left", "u_turn" or "Drinking Water".
  init?(words text: String) {
    let word = Self.plain(text)
    if let known = Self.plainNames[word] {
      self = known
      return
    }
    guard word.hasPrefix("turn"), let turn = Self.plainNames[String(word.dropFirst(4))] else { return nil }
    self = turn
  }

  private static let plainNames: [String: CueKind] = {
    var result: [String: CueKind] = [:]
    for (kind, name) in names { result[plain(name)] = kind }
    for (word, name) in [
      ("drinkingwater", "water"), ("restaurant", "food"), ("uturnleft", "u_turn"), ("uturnright", "u_turn"),
      ("caution", "danger"), ("warning", "danger"), ("peak", "summit"), ("continue", "straight"),
    ] {
      result[word] = CueKind(name: name)
    }
    return result
  }()

  /// Small letters and digits alone.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(60).compactMap { letter in
          switch letter {
          case "a"..."z", "0"..."9": letter
          case "A"..."Z": Unicode.Scalar(UInt8(letter.value) + 32)
          default: nil
          }
        }))
  }
}

// An object of JSON that may be a data point, or what contains a list of them.

import Earth

struct WorkoutPoint {
  enum Time: Equatable {
    case date(Int64)
    /// Seconds since the start.
    case elapsed(Int64)
  }

  private(set) var values = ActivityPoint(t: 0)
  private(set) var time: Time?
  private(set) var sport: SportCode?
  private(set) var name: String?
  private(set) var note: String?
  private(set) var start: Int64?
  private(set) var hasImpossibleTime = false
  private var latitude: Double?
  private var longitude: Double?

  /// Otherwise it is metadata.
  var isPoint: Bool {
    position != nil || values[.heartRate] != nil || time != nil && !values.values.isEmpty
  }

  var position: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  var hasImpossiblePosition: Bool { latitude != nil && longitude != nil && position == nil }

  var complete: ActivityPoint {
    var point = values
    point.position = position
    return point
  }

  mutating func set(_ key: String, _ value: Double) {
    let key = Self.plain(key)
    if let field = Self.fields[key] {
      values.set(field, value)
    } else if let (field, scale) = Self.otherUnits[key] {
      values.set(field, value * scale)
    } else {
      switch key {
      case "lat", "latitude", "latitudedegrees": latitude = value
      case "lon", "lng", "long", "longitude", "longitudedegrees": longitude = value
      case "time", "timestamp", "t", "ts", "date", "datetime", "at", "recordedat", "unixtime", "elapsed",
        "elapsedtime", "seconds", "offset", "elapsedseconds":
        setTime(value)
      case "start", "starttime", "startedat", "startdate", "begin":
        start = Self.seconds(value).flatMap { $0.isDate ? $0.seconds : nil }
      default: break
      }
    }
  }

  mutating func set(_ key: String, _ text: String) {
    // Some programs write numbers as texts.
    if let number = Double(decimal: text) { return set(key, number) }
    switch Self.plain(key) {
    case "time", "timestamp", "t", "ts", "date", "datetime", "at", "recordedat":
      guard let date = DateText(text) else {
        hasImpossibleTime = true
        return
      }
      time = .date(date.seconds)
    case "start", "starttime", "startedat", "startdate", "begin": start = DateText(text)?.seconds
    case "sport", "type", "activity", "activitytype", "sporttype", "workouttype", "workoutactivitytype":
      sport = sport ?? SportCode(words: text)
    case "name", "title": name = name ?? text.trimmed(to: 200)
    case "note", "notes", "description", "comment": note = note ?? text.trimmed(to: 1000)
    default: break
    }
  }

  /// Adds what an inner object has, such as the location of a point.
  mutating func add(_ inner: WorkoutPoint) {
    for field in PointField.allCases where values[field] == nil { values[field] = inner.values[field] }
    latitude = latitude ?? inner.latitude
    longitude = longitude ?? inner.longitude
    time = time ?? inner.time
    addDescription(inner)
  }

  mutating func addDescription(_ other: WorkoutPoint) {
    sport = sport ?? other.sport
    name = name ?? other.name
    note = note ?? other.note
    start = start ?? other.start
  }

  private mutating func setTime(_ value: Double) {
    guard let (seconds, isDate) = Self.seconds(value) else {
      hasImpossibleTime = true
      return
    }
    time = isDate ? .date(seconds) : .elapsed(seconds)
  }

  /// Seconds, milliseconds, microseconds or nanoseconds since 1970 differ in size; smaller numbers
  /// count from the start.
  private static func seconds(_ value: Double) -> (seconds: Int64, isDate: Bool)? {
    let scale: Double
    switch value {
    case 0..<1e8: return (Int64(value.rounded(.down)), false)
    case 1e8..<1e11: scale = 1
    case 1e11..<1e14: scale = 1e3
    case 1e14..<1e17: scale = 1e6
    case 1e17..<1e20: scale = 1e9
    default: return nil
    }
    return (Int64((value / scale).rounded(.down)), true)
  }

  private static let fields: [String: PointField] = [
    "alt": .altitude, "altitude": .altitude, "ele": .altitude, "elevation": .altitude, "altitudem": .altitude,
    "elevationm": .altitude, "altitudemeters": .altitude, "hr": .heartRate, "heartrate": .heartRate,
    "heartratebpm": .heartRate, "bpm": .heartRate, "pulse": .heartRate, "cad": .cadence, "cadence": .cadence,
    "cadencerpm": .cadence, "power": .power, "watts": .power, "powerw": .power, "powerinwatts": .power,
    "speed": .speed, "speedmps": .speed, "speedms": .speed, "distance": .distance, "distancem": .distance,
    "distancemeters": .distance, "temp": .airTemperature, "temperature": .airTemperature,
    "temperaturec": .airTemperature, "atemp": .airTemperature,
  ]

  private static let otherUnits: [String: (PointField, Double)] = [
    "speedkmh": (.speed, 1 / 3.6), "speedkph": (.speed, 1 / 3.6), "distancekm": (.distance, 1000),
  ]

  /// Small letters and digits alone.
  private static func plain(_ key: String) -> String {
    String(
      String.UnicodeScalarView(
        key.unicodeScalars.prefix(60).compactMap { letter in
          switch letter {
          case "a"..."z", "0"..."9": letter
          case "A"..."Z": Unicode.Scalar(UInt8(letter.value) + 32)
          default: nil
          }
        }))
  }
}

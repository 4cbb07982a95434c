// The names of GPX and of its extensions, as files have them.

enum GPXNames {
  static let gpx = "http://www.topografix.com/GPX/1/1"
  static let trackPoint = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
  static let power = "http://www.garmin.com/xmlschemas/PowerExtension/v1"
  static let instance = "http://www.w3.org/2001/XMLSchema-instance"

  /// Extensions with these namespaces have known fields; versions differ only in what they lack.
  static let knownStarts = [
    "http://www.topografix.com/GPX/", "http://www.garmin.com/xmlschemas/", "http://www.cluetrust.com/",
  ]

  /// The first sites trust altitudes only if the name of the program ends in this.
  static let barometerEnding = " with barometer"
}

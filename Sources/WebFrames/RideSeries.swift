// The course of the current ride for the lines behind the numbers: at most 240 points for each
// value. Each point is the mean of as many seconds as needed: when the points are full, each two
// become one. Where nothing was measured, a point is null.

public import JSON
public import Time

public struct RideSeries {
  public static let mostPoints = 240

  /// A value of the ride that is drawn.
  public struct Value: Sendable {
    let kind: StaticString
    public let field: StaticString
    /// Otherwise the first sensor that measured it in this ride has it.
    var isOfRide = true
  }

  public static let values: [Value] = [
    Value(kind: "speed", field: "speed_mps"), Value(kind: "cadence", field: "cadence_rpm"),
    Value(kind: "power", field: "power_w"), Value(kind: "heart_rate", field: "bpm"),
    Value(kind: "grade", field: "elevation_m"), Value(kind: "ride", field: "distance_m"),
    Value(kind: "hrv", field: "rmssd_ms"), Value(kind: "hrv", field: "breaths_per_min"),
    Value(kind: "grade", field: "grade_pct"), Value(kind: "oxygen", field: "spo2_pct", isOfRide: false),
    Value(kind: "muscle_oxygen", field: "smo2_pct", isOfRide: false),
    Value(kind: "body_temperature", field: "core_temperature_c", isOfRide: false),
  ]

  private struct Point {
    let sum: Double
    let count: Int

    var mean: Double? { count > 0 ? sum / Double(count) : nil }

    init() { (sum, count) = (0, 0) }
    init(_ number: Double) { (sum, count) = (number, 1) }

    private init(sum: Double, count: Int) { (self.sum, self.count) = (sum, count) }

    static func + (left: Point, right: Point) -> Point {
      Point(sum: left.sum + right.sum, count: left.count + right.count)
    }
  }

  private var ride: [UInt8] = []
  /// By value: the sensor that has it, if it is not the ride's.
  private var sensors = [[UInt8]](repeating: [], count: values.count)
  /// When the first point begins; nil before the first value.
  private var start: MonotonicTime?
  private var secondsPerPoint: Int64 = 1
  private var points = [[Point]](repeating: [Point](repeating: Point(), count: mostPoints), count: values.count)
  /// How many points there are so far.
  private var count = 0

  public init() {}

  /// The series begins again if this is another ride.
  private mutating func follow(ride id: Span<UInt8>) {
    guard !ride.isEqual(to: id) else { return }
    // What came before the first sample with an id is of this ride.
    if !ride.isEmpty { self = RideSeries() }
    ride = id.copied
  }

  /// The ride began at this time, before this server's first value of it. Values from then on can
  /// be added afterwards.
  public mutating func extend(backTo time: MonotonicTime) {
    let later = self
    guard let first = later.start, time < first else {
      start = start ?? time
      return
    }
    self = RideSeries()
    (ride, sensors, start) = (later.ride, later.sensors, time)
    for (line, points) in later.points.enumerated() {
      for (place, point) in points[..<later.count].enumerated() where point.count > 0 {
        add(point, to: line, at: first + .seconds(Int64(place) * later.secondsPerPoint))
      }
    }
  }

  /// Adds a number of the value with this index. The first one decides when the series begins; one
  /// from before is ignored.
  public mutating func add(_ number: Double, of value: Int, at time: MonotonicTime) {
    add(Point(number), to: value, at: time)
  }

  private mutating func add(_ point: Point, to line: Int, at time: MonotonicTime) {
    let start = self.start ?? time
    guard time >= start else { return }
    self.start = start
    let seconds = (time.nanoseconds - start.nanoseconds) / 1_000_000_000
    while seconds / secondsPerPoint >= Int64(Self.mostPoints) { halve() }
    let place = Int(seconds / secondsPerPoint)
    points[line][place] = points[line][place] + point
    count = max(count, place + 1)
  }

  private mutating func halve() {
    for line in points.indices {
      for place in 0..<Self.mostPoints / 2 {
        points[line][place] = points[line][2 * place] + points[line][2 * place + 1]
      }
      for place in Self.mostPoints / 2..<Self.mostPoints { points[line][place] = Point() }
    }
    secondsPerPoint *= 2
    count = (count + 1) / 2
  }

  public func write(into writer: inout JSONWriter) {
    writer.beginObject()
    if let start {
      writer.member("start")
      writer.seconds(start)
    }
    writer.member("step_s", Int(secondsPerPoint))
    for (index, value) in Self.values.enumerated() {
      writer.member(value.field.description)
      writer.beginArray()
      for point in points[index][..<count] {
        if let mean = point.mean { writer.number(mean) } else { writer.encoded(Self.null[...]) }
      }
      writer.endArray()
    }
    writer.endObject()
  }

  private static let null = Array("null".utf8)
}

// MARK: Lines

extension RideSeries {
  /// A sample of the daemon.
  mutating func handle(_ line: Span<UInt8>, kind: Span<UInt8>, sensor: Span<UInt8>) {
    let isOfRide = sensor.isText("ride")
    if isOfRide, kind.isText("ride"), var place = line.value(of: "ride_id"), line.skip("\"", at: &place),
      let id = line.string(at: &place)
    {
      follow(ride: line.extracting(id))
    }
    for (index, value) in Self.values.enumerated() where kind.isText(value.kind) {
      guard isOfRide || !value.isOfRide && has(sensor, value: index) else { continue }
      guard let time = line.number(of: "t"), (0..<9e9).contains(time), let number = line.number(of: value.field) else {
        continue
      }
      add(number, of: index, at: MonotonicTime(seconds: time))
    }
  }

  /// Before the ride there is none. The first sensor of a ride that has the value stays the one.
  private mutating func has(_ sensor: Span<UInt8>, value: Int) -> Bool {
    if ride.isEmpty { return false }
    if sensors[value].isEmpty { sensors[value] = sensor.copied }
    return sensors[value].isEqual(to: sensor)
  }
}

// A second of an activity while its samples are being read.

import ActivityFiles
import Earth
import JSON

struct PointSecond {
  let t: Int
  private(set) var ride = RideSecond()
  private var point: ActivityPoint
  private var latitude: Double?
  private var longitude: Double?
  private var powerSum = 0.0
  private var powerCount = 0.0
  private var balance: Double?
  private var isLeftBalance = false
  private var beats: [Beats] = []
  private var isPaused: Bool?
  private var isPausedByHand = false
  /// When the radar sent what counts.
  private(set) var radarMS: Int64?

  private struct Beats {
    var atMS: Int64
    /// Nil for those of the point itself.
    var strap: [UInt8]?
    var intervals: [Double]
  }

  init(t: Int) {
    self.t = t
    point = ActivityPoint(t: t)
  }

  var isEmpty: Bool {
    point.isEmpty && latitude == nil && powerCount == 0 && beats.isEmpty && ride.isEmpty && isPaused == nil
  }

  /// `isLate`: a later sample of the same stream was added before.
  mutating func add(
    _ sample: borrowing SecondDecoder.Sample, of stream: PointStream, atMS: Int64, isLate: Bool, strap: inout [UInt8]
  ) {
    var pressure: Double?
    var isFront: Bool?
    if !isLate { forgetRest(of: stream) }
    for (field, meaning) in stream.meanings {
      guard field < sample.values.count, let value = sample.values[field] else { continue }
      switch meaning {
      case .power: addPower(value)
      case .beats: addBeats(value, of: stream.sensor, atMS: atMS)
      case .pointBeats: addBeats(value, of: nil, atMS: atMS)
      case _ where isLate: continue
      case .strap: if case .json(let sensor) = value { strap = sensor }
      case .tirePressure: pressure = value.number
      case .tireWheel: isFront = value.isText("\"front\"") ? true : value.isText("\"rear\"") ? false : nil
      case .radarTargets:
        point.radar = value.targets
        radarMS = atMS
      case .latitude:
        latitude = value.number
        ride.positionMS = atMS
      default: set(meaning, to: value)
      }
    }
    if let pressure, let isFront { point[isFront ? .frontTirePressure : .rearTirePressure] = pressure / 1000 }
  }

  /// The last sample of a second counts as a whole: what it lacks is not filled from an earlier one.
  private mutating func forgetRest(of stream: PointStream) {
    for (_, meaning) in stream.meanings {
      switch meaning {
      case .value(let field, _): point[field] = nil
      case .balance: balance = nil
      case .latitude: latitude = nil
      case .longitude: longitude = nil
      case .pauseReason: isPausedByHand = false
      default: continue
      }
    }
  }

  private mutating func set(_ meaning: PointMeaning, to value: RecordedValue) {
    switch meaning {
    case .value(let field, let scale): point[field] = value.number.map { $0 * scale }
    case .counter(let counter): ride[counter] = value.number
    case .balance: balance = value.number
    case .balanceSide: isLeftBalance = value.isText("\"left\"")
    case .longitude: longitude = value.number
    case .lap: ride.lap = value.number.flatMap { Int(exactly: $0) }
    case .paused: if case .bool(let flag) = value { isPaused = flag }
    case .pauseReason: isPausedByHand = value.isText("\"by_hand\"")
    case .vehicles: point.radar = value == .null ? .silent : .vehicles(value.pairs)
    case .power, .beats, .pointBeats, .radarTargets, .latitude, .strap, .tirePressure, .tireWheel: break
    }
  }

  private mutating func addPower(_ value: RecordedValue) {
    guard let watts = value.number else { return }
    powerSum += watts
    powerCount += 1
  }

  private mutating func addBeats(_ value: RecordedValue, of strap: [UInt8]?, atMS: Int64) {
    guard let items = value.parsed?.items else { return }
    beats.append(Beats(atMS: atMS, strap: strap, intervals: items.compactMap(\.number)))
  }

  mutating func setRadarSilent() { point.radar = .silent }

  /// `strap`: the sensor whose beats count; empty if it is unknown.
  func finished(strap: [UInt8]) -> (ActivityPoint, RideSecond) {
    var (point, ride) = (point, ride)
    if powerCount > 0 { point[.power] = powerSum / powerCount }
    if let balance { point[isLeftBalance ? .leftBalance : .balance] = balance }
    if let latitude, let longitude { point.position = Coordinate(latitude: latitude, longitude: longitude) }
    let believed = beats.filter { $0.strap == nil || $0.strap == strap }
    // A packet can be late.
    for packet in believed.sorted(by: { $0.atMS < $1.atMS }) { point.beatIntervals += packet.intervals }
    if let isPaused { ride.state = !isPaused ? .moving : isPausedByHand ? .pausedByHand : .standing }
    return (point, ride)
  }
}

extension RecordedValue {
  /// Whether it is this JSON text.
  func isText(_ text: StaticString) -> Bool {
    if case .json(let bytes) = self { bytes.has(text) } else { false }
  }

  /// Also if it is not a plain decimal.
  var number: Double? { doubleValue ?? parsed?.number }

  var parsed: JSONValue? {
    guard case .json(let bytes) = self else { return nil }
    return try? JSONValue.parse(bytes.span)
  }

  /// The targets of a radar, nearest first. Nil if the value is damaged.
  fileprivate var targets: RadarReading? {
    guard let items = parsed?.items else { return nil }
    let vehicles = items.compactMap { target in
      target["distance_m"]?.number.map {
        RadarVehicle(distance: $0, approachSpeed: target["approach_speed_mps"]?.number ?? 0)
      }
    }
    return .vehicles(vehicles.sorted { $0.distance < $1.distance })
  }

  fileprivate var pairs: [RadarVehicle] {
    let numbers = parsed?.items?.compactMap(\.number) ?? []
    return stride(from: 1, to: numbers.count, by: 2).map {
      RadarVehicle(distance: numbers[$0 - 1], approachSpeed: numbers[$0])
    }
  }
}

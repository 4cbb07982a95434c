// Developer fields: what the profile has no number for. Those of a radar have the names and types of
// MyBikeTraffic, by which other programs find them. When reading, the name decides, not the developer.

enum FITDeveloper: UInt8, CaseIterable {
  case myBikeTraffic, cyclometer

  var applicationID: [UInt8] {
    switch self {
    case .myBikeTraffic:
      [0xc6, 0x47, 0x04, 0x4c, 0xc3, 0x21, 0x44, 0xbb, 0xbf, 0x8a, 0x24, 0x1a, 0x87, 0xa0, 0xeb, 0x2e]
    case .cyclometer: Array("cyclometer-rides".utf8)
    }
  }
}

/// A developer field that this library writes.
struct FITDeveloperField {
  let developer: FITDeveloper
  let number: UInt8
  let name: String
  let units: String
  let message: UInt16
  let type: FITBaseType

  var key: FITFieldKey { FITFieldKey(number, developer: developer.rawValue) }

  private static func radar(
    _ number: UInt8, _ name: String, _ units: String, _ message: UInt16, _ type: FITBaseType
  ) -> FITDeveloperField {
    FITDeveloperField(
      developer: .myBikeTraffic, number: number, name: name, units: units, message: message, type: type)
  }

  private static func own(_ number: UInt8, _ name: String, _ units: String) -> FITDeveloperField {
    FITDeveloperField(
      developer: .cyclometer, number: number, name: name, units: units, message: FITMessageNumber.record,
      type: .float32)
  }

  static let radarRanges = radar(0, "radar_ranges", "m", FITMessageNumber.record, .sint16)
  static let radarSpeeds = radar(1, "radar_speeds", "m/s", FITMessageNumber.record, .uint8)
  static let radarCurrent = radar(2, "radar_current", "vehicles", FITMessageNumber.record, .uint16)
  static let radarTotal = radar(3, "radar_total", "vehicles", FITMessageNumber.session, .uint16)
  static let radarLap = radar(4, "radar_lap", "vehicles", FITMessageNumber.lap, .uint16)
  static let passingSpeed = radar(5, "passing_speed", "km/h", FITMessageNumber.record, .uint8)
  static let passingSpeedAbsolute = radar(6, "passing_speedabs", "km/h", FITMessageNumber.record, .uint8)

  static let ofRadar = [
    radarRanges, radarSpeeds, radarCurrent, radarTotal, radarLap, passingSpeed, passingSpeedAbsolute,
  ]

  static let ownOfPoint: [(PointField, FITDeveloperField)] = [
    (.frontTirePressure, own(0, "tire_pressure_front", "kPa")),
    (.rearTirePressure, own(1, "tire_pressure_rear", "kPa")),
    (.skinTemperature, own(2, "skin_temperature", "C")),
    (.heatStrainIndex, own(3, "heat_strain_index", "")),
  ]

  static let ofTires = ownOfPoint.prefix { $0.0 == .frontTirePressure || $0.0 == .rearTirePressure }.map(\.1)
}

// MARK: Writing

extension FITMessage {
  mutating func setDeveloper(_ developer: FITDeveloper) {
    begin(FITMessageNumber.developerDataID)
    add(1, .byte, array: developer.applicationID.map(Int64.init))
    add(3, .uint8, Int64(developer.rawValue))
  }

  mutating func setDescription(_ field: FITDeveloperField) {
    begin(FITMessageNumber.fieldDescription)
    add(14, .uint16, Int64(field.message))
    add(0, .uint8, Int64(field.developer.rawValue))
    add(1, .uint8, Int64(field.number))
    add(2, .uint8, Int64(field.type.code))
    add(3, text: field.name)
    add(8, text: field.units)
  }

  mutating func addRadar(_ point: ActivityPoint) {
    add(FITDeveloperField.radarCurrent.key, .uint16, point[.vehicleCount]?.roundedInteger)
    guard let radar = point.radar else { return }
    guard case .vehicles(let all) = radar else {
      add(FITDeveloperField.radarRanges.key, .sint16, array: Array(repeating: -1, count: 8))
      return add(FITDeveloperField.radarSpeeds.key, .uint8, array: Array(repeating: 255, count: 8))
    }
    let vehicles = all.prefix(8)
    let fill: [Int64] = Array(repeating: 0, count: 8 - vehicles.count)
    // A range of 0 means that there is no vehicle.
    add(
      FITDeveloperField.radarRanges.key, .sint16,
      array: vehicles.map { max(1, $0.distance.roundedInteger ?? -1) } + fill)
    add(
      FITDeveloperField.radarSpeeds.key, .uint8,
      array: vehicles.map { max(0, $0.approachSpeed.roundedInteger ?? -1) } + fill)
    let approach = vehicles.first.map { $0.approachSpeed * 3.6 }
    add(FITDeveloperField.passingSpeed.key, .uint8, (approach ?? 0).roundedInteger)
    let absolute = approach.map { approach in point[.speed].map { approach + $0 * 3.6 } } ?? 0
    add(FITDeveloperField.passingSpeedAbsolute.key, .uint8, absolute?.roundedInteger)
  }
}

// MARK: Reading

/// The developer fields that a file describes, as far as they mean something here.
struct FITDeveloperFields {
  enum Meaning: Equatable {
    case point(PointField)
    case radarRanges, radarSpeeds
    case summary(SummaryField)
    /// Worked out from other fields.
    case derived
  }

  private struct Description {
    let type: FITBaseType?
    let meaning: Meaning?
  }

  private var descriptions: [FITFieldKey: Description] = [:]

  private static let meanings: [String: Meaning] = {
    var meanings: [String: Meaning] = [
      "radar_ranges": .radarRanges, "radar_speeds": .radarSpeeds, "radar_current": .point(.vehicleCount),
      "radar_total": .summary(.vehicleCount), "radar_lap": .summary(.vehicleCount), "passing_speed": .derived,
      "passing_speedabs": .derived, "core_temperature": .point(.coreTemperature),
    ]
    for (field, own) in FITDeveloperField.ownOfPoint { meanings[own.name] = .point(field) }
    return meanings
  }()

  func type(of key: FITFieldKey) -> FITBaseType? { descriptions[key]?.type }

  func meaning(of key: FITFieldKey) -> Meaning? { descriptions[key]?.meaning }

  /// Reads a field_description. The last one for a field counts.
  mutating func describe(_ message: FITReceived) {
    guard let developer = message.integer(0).flatMap(UInt8.init(exactly:)),
      let number = message.integer(1).flatMap(UInt8.init(exactly:))
    else { return }
    let type = message.integer(2).flatMap(UInt8.init(exactly:)).flatMap(FITBaseType.init(code:))
    descriptions[FITFieldKey(number, developer: developer)] = Description(type: type, meaning: meaning(message))
  }

  private func meaning(_ description: FITReceived) -> Meaning? {
    if let known = description.text(3).flatMap({ Self.meanings[$0.lowercased()] }) { return known }
    guard description.integer(14) == Int(FITMessageNumber.record), let native = description.integer(15) else {
      return nil
    }
    return FITQuantity.ofPoint.first { Int($0.1.number) == native }.map { .point($0.0) }
  }

  /// The name in a field_description, if the field means nothing here.
  func unknownName(_ description: FITReceived) -> String? {
    meaning(description) == nil ? description.text(3) ?? "without a name" : nil
  }

  /// A field of the profile has precedence.
  func add(_ record: FITReceived, to point: inout ActivityPoint) {
    guard !descriptions.isEmpty else { return }
    var ranges: [Double?] = []
    var speeds: [Double?] = []
    for field in record.definition.fields where field.key.developer != nil {
      switch meaning(of: field.key) {
      case .point(let known)?: if point[known] == nil { point[known] = record.stored(field, at: 0) }
      case .radarRanges?: ranges = record.array(field)
      case .radarSpeeds?: speeds = record.array(field)
      case .summary?, .derived?, nil: break
      }
    }
    if let radar = RadarReading(ranges: ranges, speeds: speeds) { point.radar = radar }
  }

  func add(_ message: FITReceived, to summary: inout ActivitySummary) {
    for field in message.definition.fields where field.key.developer != nil {
      guard case .summary(let known) = meaning(of: field.key) else { continue }
      summary[known] = message.stored(field, at: 0)
    }
  }
}

extension RadarReading {
  /// nil without a range; a negative range means that the radar was silent.
  fileprivate init?(ranges: [Double?], speeds: [Double?]) {
    guard let first = ranges.first, let first else { return nil }
    guard first >= 0 else {
      self = .silent
      return
    }
    var vehicles: [RadarVehicle] = []
    for (index, range) in ranges.enumerated() {
      guard let range, range > 0 else { continue }
      let speed = index < speeds.count ? speeds[index] : nil
      vehicles.append(RadarVehicle(distance: range, approachSpeed: speed ?? 0))
    }
    self = .vehicles(vehicles)
  }
}

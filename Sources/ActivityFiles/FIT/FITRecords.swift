// Record: the values of one second.

extension FITQuantity {
  static let distance = FITQuantity(5, .uint32, scale: 100)
  static let heartRate = FITQuantity(3, .uint8)
  static let power = FITQuantity(7, .uint16)
  static let wholeCadence = FITQuantity(4, .uint8)
  static let fractionalCadence = FITQuantity(53, .uint8, scale: 128)
  static let balance = FITQuantity(30, .uint8)

  /// The fields of a record that hold one value of a point.
  static let ofPoint: [(PointField, FITQuantity)] = [
    (.distance, distance),
    (.speed, FITQuantity(73, .uint32, scale: 1000)),
    (.altitude, FITQuantity(78, .uint32, scale: 5, offset: 500)),
    (.airPressure, FITQuantity(91, .uint32)),
    (.power, power),
    (.grade, FITQuantity(9, .sint16, scale: 100)),
    (.muscleOxygen, FITQuantity(57, .uint16, scale: 10)),
    (.hemoglobin, FITQuantity(54, .uint16, scale: 100)),
    (.breathingRate, FITQuantity(108, .uint16, scale: 100)),
    (.coreTemperature, FITQuantity(139, .uint16, scale: 100)),
    (.energy, FITQuantity(33, .uint16)),
    (.verticalSpeed, FITQuantity(32, .sint16, scale: 1000)),
    (.motorPower, FITQuantity(82, .uint16)),
    (.heartRate, heartRate),
    (.airTemperature, FITQuantity(13, .sint8)),
    (.positionAccuracy, FITQuantity(31, .uint8)),
    (.leftTorqueEffectiveness, FITQuantity(43, .uint8, scale: 2)),
    (.rightTorqueEffectiveness, FITQuantity(44, .uint8, scale: 2)),
    (.leftPedalSmoothness, FITQuantity(45, .uint8, scale: 2)),
    (.rightPedalSmoothness, FITQuantity(46, .uint8, scale: 2)),
    (.combinedPedalSmoothness, FITQuantity(47, .uint8, scale: 2)),
  ]

  /// Shorter forms that older files have instead.
  static let ofPointShort: [(PointField, FITQuantity)] = [
    (.speed, FITQuantity(6, .uint16, scale: 1000)),
    (.altitude, FITQuantity(2, .uint16, scale: 5, offset: 500)),
    (.breathingRate, FITQuantity(99, .uint8)),
  ]
}

// MARK: Writing

extension FITMessage {
  mutating func setRecord(_ point: ActivityPoint, at time: FITTime) {
    begin(FITMessageNumber.record)
    add(FITFieldKey(fitTimestamp), .uint32, time.seconds)
    addPosition(0, 1, point.position)
    for (field, quantity) in FITQuantity.ofPoint { add(quantity, point[field].flatMap { storable($0, field) }) }
    if let cadence = point[.cadence] { addCadence(cadence) }
    add(30, .uint8, balance(of: point))
    addRadar(point)
    for (field, number) in FITDeveloperField.ownOfPoint { add(number.key, float: point[field]) }
  }

  private func storable(_ value: Double, _ field: PointField) -> Double? {
    switch field {
    case .heartRate: value < 0.5 ? nil : value
    case .power: max(0, value)
    default: value
    }
  }

  private mutating func addCadence(_ cadence: Double) {
    let parts = (cadence * 128).rounded()
    let whole = (parts / 128).rounded(.down)
    add(.wholeCadence, whole)
    if parts != whole * 128, whole < 255 { add(.fractionalCadence, (parts - whole * 128) / 128) }
  }

  /// Bit 7 says that the number is the share of the right pedal.
  private func balance(of point: ActivityPoint) -> Int64? {
    if let left = point[.leftBalance] {
      return (100 - left).roundedInteger.flatMap { 0...100 ~= $0 ? 0x80 | $0 : nil }
    }
    return point[.balance]?.roundedInteger.flatMap { 0...100 ~= $0 ? $0 : nil }
  }

  /// At most five intervals between heartbeats; they belong to the record before.
  mutating func setBeatIntervals(_ intervals: ArraySlice<Double>) {
    begin(FITMessageNumber.hrv)
    let stored = intervals.map { $0.roundedInteger ?? 0 }
    add(0, .uint16, array: stored + Array(repeating: -1, count: max(0, 5 - stored.count)))
  }
}

// MARK: Reading

extension ActivityPoint {
  /// Adds the values of a record; what it does not have stays.
  mutating func add(_ record: FITReceived, _ developers: FITDeveloperFields) {
    if let place = record.position(0, 1) { position = place }
    for (field, quantity) in FITQuantity.ofPoint {
      if let value = record.value(quantity) { self[field] = value }
    }
    for (field, quantity) in FITQuantity.ofPointShort where self[field] == nil { self[field] = record.value(quantity) }
    if let power = self[.power], power < 0 { self[.power] = 0 }
    if self[.heartRate] == 0 { self[.heartRate] = nil }
    if let cadence = record.value(.wholeCadence) {
      self[.cadence] = cadence + (record.value(.fractionalCadence) ?? 0)
    }
    if let balance = record.integer(30) { add(balance: balance) }
    developers.add(record, to: &self)
  }

  private mutating func add(balance: Int) {
    let share = Double(balance & 0x7f)
    guard share <= 100 else { return }
    if balance & 0x80 != 0 { self[.leftBalance] = 100 - share } else { self[.balance] = share }
  }
}

/// Speed and distance in three bytes, which the first wireless devices wrote: the distance rolls over
/// every 256 m.
struct FITCompressedDistance {
  static let number: UInt8 = 8
  private var last: Int?
  private var total = 0

  mutating func add(_ record: FITReceived, to point: inout ActivityPoint) {
    let bytes = record.array(Self.number).compactMap { $0.flatMap { Int(exactly: $0) } }
    guard bytes.count == 3 else { return }
    let distance = bytes[1] >> 4 | bytes[2] << 4
    total += (distance - (last ?? distance)) & 0xfff
    last = distance
    if point[.speed] == nil { point[.speed] = Double(bytes[0] | (bytes[1] & 0x0f) << 8) / 100 }
    if point[.distance] == nil { point[.distance] = Double(total) / 16 }
  }
}

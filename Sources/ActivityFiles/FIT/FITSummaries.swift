// Lap and session: the same totals, under numbers that differ.

/// What the writer adds to a summary of its own: dates and counts.
struct FITSummaryFrame {
  var start: FITTime
  var end: FITTime
  var index: Int
}

/// The numbers of the fields of a lap or of a session.
struct FITSummaryProfile {
  let message: UInt16
  let values: [(SummaryField, FITQuantity)]
  /// Shorter forms that older files have instead.
  let shortValues: [(SummaryField, FITQuantity)]
  let balance: UInt8
  let startPosition: (UInt8, UInt8)
  let endPosition: (UInt8, UInt8)
  let sport: UInt8
  let subSport: UInt8
  let heartRateZones: UInt8
  let powerZones: UInt8
  let vehicles: FITDeveloperField

  static let startTime: UInt8 = 2
  static let elapsed = FITQuantity(7, .uint32, scale: 1000)

  private static func altitude(_ number: UInt8) -> FITQuantity {
    FITQuantity(number, .uint32, scale: 5, offset: 500)
  }

  private static func shortAltitude(_ number: UInt8) -> FITQuantity {
    FITQuantity(number, .uint16, scale: 5, offset: 500)
  }

  static let lap = FITSummaryProfile(
    message: FITMessageNumber.lap,
    values: [
      (.timerTime, FITQuantity(8, .uint32, scale: 1000)), (.movingTime, FITQuantity(52, .uint32, scale: 1000)),
      (.distance, FITQuantity(9, .uint32, scale: 100)), (.averageSpeed, FITQuantity(110, .uint32, scale: 1000)),
      (.maxSpeed, FITQuantity(111, .uint32, scale: 1000)), (.work, FITQuantity(41, .uint32)),
      (.averagePower, FITQuantity(19, .uint16)), (.maxPower, FITQuantity(20, .uint16)),
      (.normalizedPower, FITQuantity(33, .uint16)), (.ascent, FITQuantity(21, .uint16)),
      (.descent, FITQuantity(22, .uint16)), (.energy, FITQuantity(11, .uint16)),
      (.averageHeartRate, FITQuantity(15, .uint8)), (.maxHeartRate, FITQuantity(16, .uint8)),
      (.minHeartRate, FITQuantity(63, .uint8)), (.averageCadence, FITQuantity(17, .uint8)),
      (.maxCadence, FITQuantity(18, .uint8)), (.averageAltitude, altitude(112)), (.minAltitude, altitude(113)),
      (.maxAltitude, altitude(114)), (.averageTemperature, FITQuantity(50, .sint8)),
      (.maxTemperature, FITQuantity(51, .sint8)),
      (.averageBreathingRate, FITQuantity(136, .uint16, scale: 100)),
      (.maxBreathingRate, FITQuantity(137, .uint16, scale: 100)),
      (.averageCoreTemperature, FITQuantity(158, .uint16, scale: 100)),
    ],
    shortValues: [
      (.averageSpeed, FITQuantity(13, .uint16, scale: 1000)), (.maxSpeed, FITQuantity(14, .uint16, scale: 1000)),
      (.averageAltitude, shortAltitude(42)), (.maxAltitude, shortAltitude(43)), (.minAltitude, shortAltitude(62)),
    ],
    balance: 34, startPosition: (3, 4), endPosition: (5, 6), sport: 25, subSport: 39, heartRateZones: 57,
    powerZones: 60,
    vehicles: FITDeveloperField.radarLap)

  static let session = FITSummaryProfile(
    message: FITMessageNumber.session,
    values: [
      (.timerTime, FITQuantity(8, .uint32, scale: 1000)), (.movingTime, FITQuantity(59, .uint32, scale: 1000)),
      (.distance, FITQuantity(9, .uint32, scale: 100)), (.averageSpeed, FITQuantity(124, .uint32, scale: 1000)),
      (.maxSpeed, FITQuantity(125, .uint32, scale: 1000)), (.work, FITQuantity(48, .uint32)),
      (.averagePower, FITQuantity(20, .uint16)), (.maxPower, FITQuantity(21, .uint16)),
      (.normalizedPower, FITQuantity(34, .uint16)), (.ascent, FITQuantity(22, .uint16)),
      (.descent, FITQuantity(23, .uint16)), (.energy, FITQuantity(11, .uint16)),
      (.averageHeartRate, FITQuantity(16, .uint8)), (.maxHeartRate, FITQuantity(17, .uint8)),
      (.minHeartRate, FITQuantity(64, .uint8)), (.averageCadence, FITQuantity(18, .uint8)),
      (.maxCadence, FITQuantity(19, .uint8)), (.averageAltitude, altitude(126)), (.minAltitude, altitude(127)),
      (.maxAltitude, altitude(128)), (.averageTemperature, FITQuantity(57, .sint8)),
      (.maxTemperature, FITQuantity(58, .sint8)), (.minTemperature, FITQuantity(150, .sint8)),
      (.averageBreathingRate, FITQuantity(169, .uint16, scale: 100)),
      (.maxBreathingRate, FITQuantity(170, .uint16, scale: 100)),
      (.minBreathingRate, FITQuantity(180, .uint16, scale: 100)),
      (.averageCoreTemperature, FITQuantity(208, .uint16, scale: 100)),
      (.minCoreTemperature, FITQuantity(209, .uint16, scale: 100)),
      (.maxCoreTemperature, FITQuantity(210, .uint16, scale: 100)),
      (.trainingStress, FITQuantity(35, .uint16, scale: 10)),
      (.intensityFactor, FITQuantity(36, .uint16, scale: 1000)), (.thresholdPower, FITQuantity(45, .uint16)),
      (.sdrr, FITQuantity(197, .uint8)), (.rmssd, FITQuantity(198, .uint8)),
    ],
    shortValues: [
      (.averageSpeed, FITQuantity(14, .uint16, scale: 1000)), (.maxSpeed, FITQuantity(15, .uint16, scale: 1000)),
      (.averageAltitude, shortAltitude(49)), (.maxAltitude, shortAltitude(50)), (.minAltitude, shortAltitude(71)),
      (.averageBreathingRate, FITQuantity(147, .uint8)),
    ],
    balance: 37, startPosition: (3, 4), endPosition: (38, 39), sport: 5, subSport: 6, heartRateZones: 65,
    powerZones: 68,
    vehicles: FITDeveloperField.radarTotal)
}

// MARK: Writing

extension ActivitySummary {
  /// FIT can hold 49 days.
  var withinFIT: ActivitySummary {
    var summary = self
    summary.elapsed = min(max(0, elapsed), Double(UInt32.max - 1) / 1000)
    return summary
  }
}

extension FITMessage {
  mutating func setLap(_ lap: ActivityLap, _ frame: FITSummaryFrame) {
    set(lap.summary, .lap, frame)
    add(0, .enum, 9)
    add(1, .enum, 1)
    add(24, .enum, Int64(lap.trigger.rawValue))
  }

  /// The times in zones are in a message of their own, too, but older readers do not know it.
  mutating func setSession(
    _ summary: ActivitySummary, _ frame: FITSummaryFrame, laps: Int, zones: ActivityZones?
  ) {
    set(summary, .session, frame)
    addTimes(zones?.heartRate, FITFieldKey(FITSummaryProfile.session.heartRateZones))
    addTimes(zones?.power, FITFieldKey(FITSummaryProfile.session.powerZones))
    add(25, .uint16, 0)
    add(26, .uint16, Int64(laps))
    add(0, .enum, 8)
    add(1, .enum, 1)
    add(28, .enum, 0)
  }

  private mutating func set(_ summary: ActivitySummary, _ profile: FITSummaryProfile, _ frame: FITSummaryFrame) {
    begin(profile.message)
    add(FITFieldKey(fitTimestamp), .uint32, frame.end.seconds)
    add(FITFieldKey(fitMessageIndex), .uint16, Int64(frame.index))
    add(FITFieldKey(FITSummaryProfile.startTime), .uint32, frame.start.seconds)
    add(FITSummaryProfile.elapsed, summary.elapsed)
    for (field, quantity) in profile.values { add(quantity, summary[field]) }
    if let left = summary[.leftBalance], 0...100 ~= left {
      // Bit 15 says that the number is the share of the right pedal.
      add(FITFieldKey(profile.balance), .uint16, ((100 - left) * 100).roundedInteger.map { 0x8000 | $0 })
    }
    addPosition(profile.startPosition.0, profile.startPosition.1, summary.startPosition)
    addPosition(profile.endPosition.0, profile.endPosition.1, summary.endPosition)
    add(FITFieldKey(profile.sport), .enum, summary.sport.map { Int64($0.rawValue) })
    add(FITFieldKey(profile.subSport), .enum, summary.subSport.map { Int64($0.rawValue) })
    add(profile.vehicles.key, .uint16, summary[.vehicleCount]?.roundedInteger)
  }

  mutating func setActivity(timerTime: Double, end: FITTime, utcOffset: Int?) {
    begin(FITMessageNumber.activity)
    add(FITFieldKey(fitTimestamp), .uint32, end.seconds)
    add(FITQuantity(0, .uint32, scale: 1000), timerTime)
    add(1, .uint16, 1)
    add(2, .enum, 0)
    add(3, .enum, 26)
    add(4, .enum, 1)
    add(5, .uint32, utcOffset.map { end.seconds + Int64($0) })
  }

  mutating func setZones(_ zones: ActivityZones, end: FITTime) {
    begin(FITMessageNumber.timeInZone)
    add(FITFieldKey(fitTimestamp), .uint32, end.seconds)
    switch zones.span {
    case .activity:
      add(0, .uint16, Int64(FITMessageNumber.session))
      add(1, .uint16, 0)
    case .lap(let index):
      add(0, .uint16, Int64(FITMessageNumber.lap))
      add(1, .uint16, Int64(index))
    }
    addZones(zones.heartRate, times: 2, bounds: 6, .uint8)
    addZones(zones.power, times: 5, bounds: 9, .uint16)
    add(11, .uint8, zones.maxHeartRate.map(Int64.init))
    add(12, .uint8, zones.restingHeartRate.map(Int64.init))
    add(13, .uint8, zones.thresholdHeartRate.map(Int64.init))
    add(15, .uint16, zones.thresholdPower.map(Int64.init))
  }

  private mutating func addZones(_ zones: ActivityZones.Times?, times: UInt8, bounds: UInt8, _ type: FITBaseType) {
    addTimes(zones, FITFieldKey(times))
    if let zones { add(FITFieldKey(bounds), type, array: zones.upperBounds.map { $0.roundedInteger ?? -1 }) }
  }

  private mutating func addTimes(_ zones: ActivityZones.Times?, _ key: FITFieldKey) {
    if let zones { add(key, .uint32, array: zones.seconds.map { ($0 * 1000).roundedInteger ?? -1 }) }
  }
}

// MARK: Reading

extension ActivitySummary {
  init(
    _ message: FITReceived, _ profile: FITSummaryProfile, start: Int, _ developers: FITDeveloperFields
  ) {
    self.init(start: start, elapsed: message.value(FITSummaryProfile.elapsed) ?? 0)
    for (field, quantity) in profile.values { self[field] = message.value(quantity) }
    for (field, quantity) in profile.shortValues where self[field] == nil { self[field] = message.value(quantity) }
    if let balance = message.integer(profile.balance), balance & 0x8000 != 0, balance & 0x3fff <= 10000 {
      self[.leftBalance] = 100 - Double(balance & 0x3fff) / 100
    }
    startPosition = message.position(profile.startPosition.0, profile.startPosition.1)
    endPosition = message.position(profile.endPosition.0, profile.endPosition.1)
    sport = message.integer(profile.sport).flatMap(UInt8.init(exactly:)).map(SportCode.init(rawValue:))
    subSport = message.integer(profile.subSport).flatMap(UInt8.init(exactly:)).map(SubSportCode.init(rawValue:))
    developers.add(message, to: &self)
  }
}

extension ActivityLap {
  init(_ message: FITReceived, index: Int, summary: ActivitySummary) {
    let trigger = message.integer(24).flatMap(UInt8.init(exactly:)).flatMap(Trigger.init(rawValue:))
    self.init(index: index, trigger: trigger ?? .manual, summary: summary)
  }
}

extension ActivityZones {
  /// nil if the message is about something else, such as a split.
  init?(_ message: FITReceived) {
    switch message.integer(0).flatMap(UInt16.init(exactly:)) {
    case FITMessageNumber.session: self.init(span: .activity)
    case FITMessageNumber.lap: self.init(span: .lap(message.integer(1) ?? 0))
    default: return nil
    }
    heartRate = Times(message, times: 2, bounds: 6)
    power = Times(message, times: 5, bounds: 9)
    maxHeartRate = message.integer(11)
    restingHeartRate = message.integer(12)
    thresholdHeartRate = message.integer(13)
    thresholdPower = message.integer(15)
  }
}

extension ActivityZones {
  /// From a lap or a session; nil if it has no times in zones.
  init?(summary message: FITReceived, _ profile: FITSummaryProfile, span: Span) {
    self.init(span: span)
    heartRate = Times(message, times: profile.heartRateZones, bounds: nil)
    power = Times(message, times: profile.powerZones, bounds: nil)
    if heartRate == nil, power == nil { return nil }
  }
}

extension ActivityZones.Times {
  fileprivate init?(_ message: FITReceived, times: UInt8, bounds: UInt8?) {
    let seconds = message.array(times)
    guard !seconds.isEmpty else { return nil }
    let upperBounds = bounds.map(message.array) ?? []
    self.init(seconds: seconds.map { ($0 ?? 0) / 1000 }, upperBounds: upperBounds.compactMap(\.self))
  }
}

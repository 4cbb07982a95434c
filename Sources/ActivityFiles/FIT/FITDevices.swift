// The messages about devices, the rider and the file itself.

extension ActivityDevice.Kind {
  /// How the device is connected, and its type there. The profile has no type for some sensors.
  private static let codes: [(kind: ActivityDevice.Kind, source: UInt8, type: UInt8?)] = [
    (.recorder, local, nil), (.gps, local, 0), (.barometer, local, 4), (.thermometer, local, 5),
    (.heartRate, bluetooth, 1), (.power, bluetooth, 2), (.speedAndCadence, bluetooth, 3), (.speed, bluetooth, 4),
    (.cadence, bluetooth, 5), (.footpod, bluetooth, 6), (.trainer, bluetooth, 7), (.other, bluetooth, nil),
    (.gps, bluetooth, 0), (.power, antPlus, 11), (.trainer, antPlus, 17), (.muscleOxygen, antPlus, 31),
    (.radar, antPlus, 40), (.heartRate, antPlus, 120), (.speedAndCadence, antPlus, 121), (.cadence, antPlus, 122),
    (.speed, antPlus, 123), (.coreTemperature, antPlus, 127),
  ]
  private static let antPlus: UInt8 = 1
  private static let bluetooth: UInt8 = 3
  private static let local: UInt8 = 5

  fileprivate init(source: Int?, type: Int?, index: Int) {
    let known = Self.codes.first { Int($0.source) == source && $0.type.map(Int.init) == type }
    self = index == 0 ? .recorder : known.map { $0.kind == .recorder ? .other : $0.kind } ?? .other
  }

  /// Our sensors are connected by Bluetooth.
  fileprivate var code: (source: UInt8, type: UInt8?) {
    let known = Self.codes.first { $0.kind == self && $0.source != Self.antPlus }
    return (known?.source ?? Self.bluetooth, known?.type)
  }
}

// MARK: Writing

extension FITMessage {
  /// `content`: 4 for an activity, 6 for a course.
  mutating func setFileID(_ header: ActivityHeader, content: Int64, created: FITTime?) {
    begin(FITMessageNumber.fileID)
    add(0, .enum, content)
    // Never the number of another maker: programs draw conclusions from it.
    add(1, .uint16, Int64(header.recorder.manufacturer ?? 255))
    add(2, .uint16, Int64(header.recorder.product ?? 0))
    add(3, .uint32z, header.recorder.serial.map(Int64.init))
    add(4, .uint32, created?.seconds)
    add(8, text: header.recorder.name)
  }

  mutating func setFileCreator(softwareVersion: Double) {
    begin(FITMessageNumber.fileCreator)
    add(0, .uint16, (softwareVersion * 100).roundedInteger)
  }

  mutating func setSport(_ header: ActivityHeader) {
    begin(FITMessageNumber.sport)
    add(0, .enum, header.sport.map { Int64($0.rawValue) })
    add(1, .enum, header.subSport.map { Int64($0.rawValue) })
    add(3, text: header.name)
  }

  mutating func setRider(_ rider: ActivityRider) {
    begin(FITMessageNumber.userProfile)
    add(0, text: rider.name)
    add(1, .enum, rider.sex.map { Int64($0.rawValue) })
    add(2, .uint8, rider.age.map(Int64.init))
    add(FITQuantity(3, .uint8, scale: 100), rider.heightMetres)
    add(FITQuantity(4, .uint16, scale: 10), rider.weightKilograms)
    add(8, .uint8, rider.restingHeartRate.map(Int64.init))
    add(11, .uint8, rider.maxHeartRate.map(Int64.init))
  }

  mutating func setDevice(_ device: ActivityDevice, at time: FITTime) {
    begin(FITMessageNumber.deviceInfo)
    add(FITFieldKey(fitTimestamp), .uint32, time.seconds)
    add(0, .uint8, Int64(device.index))
    add(25, .enum, Int64(device.kind.code.source))
    add(1, .uint8, device.kind.code.type.map(Int64.init))
    add(2, .uint16, device.label.manufacturer.map(Int64.init))
    add(3, .uint32z, device.label.serial.map(Int64.init))
    add(4, .uint16, device.label.product.map(Int64.init))
    add(27, text: device.label.name)
    add(FITQuantity(5, .uint16, scale: 100), device.label.softwareVersion)
    add(FITQuantity(10, .uint16, scale: 256), device.batteryVolts)
    add(32, .uint8, device.batteryPercent.map(Int64.init))
  }

  mutating func setEvent(_ kind: ActivityEvent.Kind, at time: FITTime) {
    begin(FITMessageNumber.event)
    add(FITFieldKey(fitTimestamp), .uint32, time.seconds)
    let (event, type, data): (UInt8, UInt8, UInt32?) =
      switch kind {
      case .start(let automatic): (FITTimer.event, FITTimer.start, automatic ? 1 : 0)
      case .stop(let automatic): (FITTimer.event, FITTimer.stopAll, automatic ? 1 : 0)
      case .other(let event, let type, let data): (event, type, data)
      }
    add(0, .enum, Int64(event))
    add(1, .enum, Int64(type))
    add(3, .uint32, data.map(Int64.init))
    add(4, .uint8, 0)
  }
}

/// The numbers of timer events.
private enum FITTimer {
  static let event: UInt8 = 0
  static let start: UInt8 = 0
  static let stopAll: UInt8 = 4
  static let stops: Set<UInt8> = [1, 4, 8, 9]
}

// MARK: Reading

extension DeviceLabel {
  /// From a file_id.
  init(fileID message: FITReceived) {
    self.init(name: message.text(8))
    manufacturer = message.integer(1).flatMap(UInt16.init(exactly:))
    product = message.integer(2).flatMap(UInt16.init(exactly:))
    serial = message.integer(3).flatMap(UInt32.init(exactly:))
  }

  fileprivate init(device message: FITReceived) {
    self.init(name: message.text(27))
    manufacturer = message.integer(2).flatMap(UInt16.init(exactly:))
    product = message.integer(4).flatMap(UInt16.init(exactly:))
    serial = message.integer(3).flatMap(UInt32.init(exactly:))
    softwareVersion = message.value(FITQuantity(5, .uint16, scale: 100))
  }
}

extension ActivityDevice {
  init(_ message: FITReceived, t: Int) {
    let index = message.integer(0) ?? 255
    self.init(
      t: t, index: UInt8(truncatingIfNeeded: index),
      kind: Kind(source: message.integer(25), type: message.integer(1), index: index),
      label: DeviceLabel(device: message))
    batteryVolts = message.value(FITQuantity(10, .uint16, scale: 256))
    batteryPercent = message.integer(32)
  }
}

extension ActivityRider {
  init(_ message: FITReceived) {
    self.init()
    name = message.text(0)
    sex = message.integer(1).flatMap(UInt8.init(exactly:)).flatMap(Sex.init(rawValue:))
    age = message.integer(2)
    heightMetres = message.value(FITQuantity(3, .uint8, scale: 100))
    weightKilograms = message.value(FITQuantity(4, .uint16, scale: 10))
    restingHeartRate = message.integer(8)
    maxHeartRate = message.integer(11)
  }
}

extension ActivityEvent.Kind {
  init?(_ message: FITReceived) {
    guard let event = message.integer(0).flatMap(UInt8.init(exactly:)),
      let type = message.integer(1).flatMap(UInt8.init(exactly:))
    else { return nil }
    let data = message.integer(3).flatMap(UInt32.init(exactly:))
    guard event == FITTimer.event else {
      self = .other(event: event, type: type, data: data)
      return
    }
    switch type {
    case FITTimer.start: self = .start(automatic: data == 1)
    case _ where FITTimer.stops.contains(type): self = .stop(automatic: data == 1)
    default: self = .other(event: event, type: type, data: data)
    }
  }
}

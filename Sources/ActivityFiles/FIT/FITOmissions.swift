// What a file has and the model does not, by the definitions of the file. Files of other makers have
// dozens of such fields.

struct FITOmissions {
  private static let most = 500
  private var seen: Set<String> = []
  private(set) var texts: [String] = []

  mutating func add(_ definition: FITDefinition) {
    guard let known = Self.known[definition.message] else { return add("message \(definition.message)") }
    for field in definition.fields where field.key.developer == nil && !known.fields.contains(field.key.number) {
      add("field \(field.key.number) of \(known.name)")
    }
  }

  mutating func addDeveloperField(_ name: String) {
    add("developer field \(name)")
  }

  private mutating func add(_ text: String) {
    guard texts.count < Self.most, seen.insert(text).inserted else { return }
    texts.append(text)
  }

  /// The fields that are read or follow from others.
  private static let known: [UInt16: (name: String, fields: Set<UInt8>)] = [
    FITMessageNumber.fileID: ("file_id", [0, 1, 2, 3, 4, 5, 8]),
    FITMessageNumber.fileCreator: ("file_creator", [0, 1]),
    FITMessageNumber.userProfile: ("user_profile", [0, 1, 2, 3, 4, 8, 11]),
    FITMessageNumber.sport: ("sport", [0, 1, 3]),
    FITMessageNumber.session: (
      "session", summary(.session).union([25, 26, 28])
    ),
    FITMessageNumber.lap: ("lap", summary(.lap).union([24])),
    FITMessageNumber.record: (
      "record",
      Set((FITQuantity.ofPoint + FITQuantity.ofPointShort).map(\.1.number)).union([
        fitTimestamp, 0, 1, 4, FITCompressedDistance.number, 30, 53,
      ])
    ),
    FITMessageNumber.event: ("event", [fitTimestamp, 0, 1, 3, 4]),
    FITMessageNumber.deviceInfo: ("device_info", [fitTimestamp, 0, 1, 2, 3, 4, 5, 10, 25, 27, 32]),
    FITMessageNumber.course: ("course", [4, 5, 6, 7]),
    FITMessageNumber.coursePoint: ("course_point", [fitMessageIndex, 1, 2, 3, 4, 5, 6]),
    FITMessageNumber.activity: ("activity", [fitTimestamp, 0, 1, 2, 3, 4, 5, 6]),
    FITMessageNumber.hrv: ("hrv", [0]),
    FITMessageNumber.fieldDescription: ("field_description", [0, 1, 2, 3, 8, 14, 15]),
    FITMessageNumber.developerDataID: ("developer_data_id", [0, 1, 2, 3, 4]),
    FITMessageNumber.timeInZone: ("time_in_zone", [fitTimestamp, 0, 1, 2, 5, 6, 9, 11, 12, 13, 15]),
  ]

  private static func summary(_ profile: FITSummaryProfile) -> Set<UInt8> {
    Set((profile.values + profile.shortValues).map(\.1.number)).union([
      fitTimestamp, fitMessageIndex, FITSummaryProfile.startTime, FITSummaryProfile.elapsed.number, 0, 1,
      profile.balance, profile.startPosition.0, profile.startPosition.1, profile.endPosition.0, profile.endPosition.1,
      profile.sport, profile.subSport, profile.heartRateZones, profile.powerZones,
    ])
  }
}

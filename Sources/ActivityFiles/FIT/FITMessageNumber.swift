// The messages that this library knows.

enum FITMessageNumber {
  static let fileID: UInt16 = 0
  static let userProfile: UInt16 = 3
  static let sport: UInt16 = 12
  static let session: UInt16 = 18
  static let lap: UInt16 = 19
  static let record: UInt16 = 20
  static let event: UInt16 = 21
  static let deviceInfo: UInt16 = 23
  static let course: UInt16 = 31
  static let coursePoint: UInt16 = 32
  static let activity: UInt16 = 34
  static let fileCreator: UInt16 = 49
  static let hrv: UInt16 = 78
  static let fieldDescription: UInt16 = 206
  static let developerDataID: UInt16 = 207
  static let timeInZone: UInt16 = 216
}

/// The field with the time, which has the same number in every message.
let fitTimestamp: UInt8 = 253
/// The field with the place in a list, which has the same number in every message.
let fitMessageIndex: UInt8 = 254

// The fields of the daemon's journal lines; man/cyclometerd.8 lists them.

import ProgramKit

extension LogField {
  static func sensor(_ id: String) -> LogField { LogField("CYCLOMETER_SENSOR", id) }
  static func address(_ address: String) -> LogField { LogField("CYCLOMETER_ADDRESS", address) }
  static func state(_ state: String) -> LogField { LogField("CYCLOMETER_STATE", state) }
  static func reason(_ reason: String) -> LogField { LogField("CYCLOMETER_REASON", reason) }
  static func adapter(_ adapter: String) -> LogField { LogField("CYCLOMETER_ADAPTER", adapter) }
  static func user(_ user: UInt32) -> LogField { LogField("CYCLOMETER_USER", "\(user)") }
}

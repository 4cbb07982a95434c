// The fields of the daemon's journal lines; man/cyclometerd.8 lists them.

extension LogField {
  public static func sensor(_ id: String) -> LogField { LogField("CYCLOMETER_SENSOR", id) }
  public static func address(_ address: String) -> LogField { LogField("CYCLOMETER_ADDRESS", address) }
  public static func state(_ state: String) -> LogField { LogField("CYCLOMETER_STATE", state) }
  public static func reason(_ reason: String) -> LogField { LogField("CYCLOMETER_REASON", reason) }
  public static func adapter(_ adapter: String) -> LogField { LogField("CYCLOMETER_ADAPTER", adapter) }
  public static func plugin(_ id: String) -> LogField { LogField("CYCLOMETER_PLUGIN", id) }
  public static func file(_ path: String) -> LogField { LogField("CYCLOMETER_FILE", path) }
  public static func user(_ user: UInt32) -> LogField { LogField("CYCLOMETER_USER", "\(user)") }
}

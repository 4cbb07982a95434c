// Answers of a daemon with two sensors, as the contract words them.

enum Fixture {
  static let polar =
    #"{"id":"polar-h10-1a2b","name":"Polar H10","address":"A0:9E:1A:00:00:01","plugins":["heart_rate"],"#
    + #""kinds":["heart_rate","battery"],"state":"streaming","battery_pct":80,"rssi_dbm":-61,"#
    + #""facts":{"body_location":"chest"},"new_member":{"deep":[1,2.5]}}"#
  static let polarVerity =
    #"{"id":"polar-sense-77aa","name":"Arm band","address":"A0:9E:1A:00:00:02","plugins":["heart_rate"],"#
    + #""kinds":["heart_rate"],"state":"stale","reason":"silent"}"#
  static let sensors = #"{"sensors":[\#(polar),\#(polarVerity)]}"#
  static let status =
    #"{"daemon":{"release":"0.1.0","uptime_s":11520},"adapters":[{"adapter":"hci0","address":"00:11:22:33:44:55","#
    + #""state":"on"}],"sensors":[\#(polar),\#(polarVerity)],"versions":{"bluez":"5.66","kernel":"6.1.0"}}"#

  static func heartRate(_ bpm: Int, seq: Int, sensor: String = "polar-h10-1a2b", age: Int = 0) -> String {
    #"{"class":"sample","sensor":"\#(sensor)","kind":"heart_rate","seq":\#(seq),"t":81234.567891,"#
      + #""time":"2026-11-21T09:15:02.417Z","age_ms":\#(age),"bpm":\#(bpm),"rr_ms":[421.875,423.828125],"#
      + #""sensor_contact":"detected"}"#
  }

  static func records(_ lines: String...) -> String {
    #"{"records":[\#(lines.joined(separator: ","))]}"#
  }

  static let stale =
    #"{"class":"state","sensor":"polar-h10-1a2b","state":"stale","reason":"silent","retry_ms":4000}"#
  static let staleArmBand = #"{"class":"state","sensor":"polar-sense-77aa","state":"stale","reason":"silent"}"#
  static let found =
    #"{"class":"found","id":"polar-h10-1a2b","address":"A0:9E:1A:00:00:01","name":"Polar H10","rssi_dbm":-61,"#
    + #""kinds":["heart_rate"],"plugins":["heart_rate"],"paired":true}"#
  static let scanEnded = #"{"class":"scan_ended"}"#

  static let reading: StandInDaemon.Script = [
    "sensors": [[.reply(sensors)]], "status": [[.reply(status)]],
    "poll": [[.reply(records(heartRate(142, seq: 7, age: 400)))]],
  ]
}

// What a live view is told in a minute and a half: six sensors, of which a strap is lost after 70 seconds. Every number
// comes of the second alone, so a picture of it is the same each time.

import JSON
import Linux
import Time
import Wire

@testable import cyclo

enum MinuteOfRiding {
  static let begin = MonotonicTime(nanoseconds: 5_000_000_000_000)
  static let end = begin + .seconds(90)

  static let sensors = [
    sensor("polar-h10-1a2b", "Polar H10", ["heart_rate"], #","battery_pct":87"#),
    sensor("wheel-0c11", "Wheel", ["speed"]),
    sensor("assioma-33fe", "Assioma DUO", ["power", "cadence"], #","battery_pct":12"#),
    sensor("varia-rtl515-0a11", "Varia RTL515", ["radar"], #","battery_pct":64"#),
    sensor("cap-0001", "Front tyre", ["tire_pressure"], #","role":"front","settings":{"target_pressure_pa":600000}"#),
    sensor("cap-0002", "Rear tyre", ["tire_pressure"], #","role":"rear","settings":{"target_pressure_pa":620000}"#),
  ]

  static func sensor(_ id: String, _ name: String, _ kinds: [String], _ rest: String = "") -> String {
    let kinds = kinds.map { #""\#($0)""# }.joined(separator: ",")
    return #"{"id":"\#(id)","name":"\#(name)","address":"A0:9E:1A:00:00:01","plugins":[],"kinds":[\#(kinds)],"#
      + #""state":"streaming"\#(rest)}"#
  }

  static func dashboard(_ style: Style, kinds: [String] = [], until last: Int = 90) throws -> Dashboard {
    var dashboard = Dashboard(style: style, kinds: kinds)
    dashboard.connected()
    let status = #"{"adapters":[{"adapter":"hci0","state":"on"}],"sensors":[\#(sensors.joined(separator: ","))]}"#
    dashboard.take(status: try statusReply(status))
    for second in 0...last {
      for record in records(second) {
        let news = try message(record)
        // As the daemon: kinds choose among samples.
        if case .sample(let sample) = news, !kinds.isEmpty, !kinds.contains(sample.kind) { continue }
        dashboard.take(news, at: begin + .seconds(second))
      }
    }
    return dashboard
  }

  private static func records(_ second: Int) -> [String] {
    let hill = abs(second % 60 - 30)
    var records = [
      sample("wheel-0c11", "speed", #""speed_mps":\#(6 + hill / 6),"distance_m":\#(12_300 + 8 * second)"#),
      sample("assioma-33fe", "power", #""power_w":\#(310 - 4 * hill + second % 7),"pedal_balance_pct":48.5"#),
      sample("assioma-33fe", "cadence", #""cadence_rpm":\#(84 + second % 3)"#),
      sample("varia-rtl515-0a11", "radar", radar(second)),
    ]
    if second <= 70 {
      let fields = #""bpm":\#(128 + second / 3),"rr_ms":[421.875],"sensor_contact":"detected""#
      records.append(sample("polar-h10-1a2b", "heart_rate", fields))
    }
    if second == 75 {
      records.append(
        #"{"class":"state","sensor":"polar-h10-1a2b","state":"stale","reason":"silent","retry_ms":4000}"#)
    }
    if second % 40 == 8 {
      let front = #""pressure_gauge_pa":\#(596_000 - 100 * second),"temperature_c":21,"wheel":"front""#
      let rear = #""pressure_gauge_pa":480000,"temperature_c":20,"wheel":"rear""#
      records.append(sample("cap-0001", "tire_pressure", front))
      records.append(sample("cap-0002", "tire_pressure", rear))
    }
    return records
  }

  /// Two cars come, one of them fast.
  private static func radar(_ second: Int) -> String {
    let way = 150 - second % 30 * 5
    guard second % 30 < 28, second >= 60 || second < 30 else { return #""clear":true,"targets":[]"# }
    let near = #"{"id":1,"distance_m":\#(way / 4),"approach_speed_mps":8.5,"level":1}"#
    return #""clear":false,"targets":[\#(near),{"id":2,"distance_m":\#(way),"approach_speed_mps":18,"level":2}]"#
  }

  private static func sample(_ sensor: String, _ kind: String, _ fields: String) -> String {
    #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":1,"t":1,"age_ms":0,\#(fields)}"#
  }
}

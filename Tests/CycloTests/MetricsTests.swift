// `metrics`: what it prints of the daemon and the other services, and how it ends without them.

import CycloCommands
import Linux
import Testing

@testable import cyclo

struct MetricsTests {
  private static let status =
    #"{"daemon":{"release":"0.1.0","uptime_s":11520},"bluetooth":{"reason":"adapter_off","message":"off"},"#
    + #""adapters":[{"class":"adapter","adapter":"hci0","address":"00:11:22:33:44:55","state":"off"}],"#
    + #""position":{"gpsd":"localhost:2947","state":"there","receivers":1},"#
    + #""sensors":[{"id":"polar-h10-1a2b","name":"Polar H10","address":"A0:9E:1A:00:00:01","plugins":["heart_rate"],"#
    + #""kinds":["heart_rate"],"state":"stale","reason":"silent","battery_pct":80,"rssi_dbm":-61,"#
    + #""link":{"reconnects":3,"silent_reconnects":1,"longest_gap_s":4.5,"packets":120,"missed":7}}],"#
    + #""counts":{"clients":2,"sensors":1,"streaming":0},"versions":{"cyclometer":"0.1.0"}}"#
  private static let plugins =
    #"{"plugins":[],"omitted":[{"file":"/etc/cyclometer/sensors.d/a.sensor","problems":[{"line":3,"text":"no"}]},"#
    + #"{"file":"/etc/cyclometer/sensors.d/b.sensor","switched_off":true}]}"#
  private static let daemon: StandInDaemon.Script = ["status": [[.reply(status)]], "plugins": [[.reply(plugins)]]]
  private static let recorder: StandInDaemon.Script = [
    "status": [
      [
        .reply(
          #"{"release":"0.4.0","recording":4,"connected":true,"storage":"low","hours_left":1.5,"sync_p99_ms":250,"#
            + #""activities":9,"export_folder":"/tmp","export_message":"full"}"#)
      ]
    ]
  ]
  private static let guide: StandInDaemon.Script = [
    "status": [
      [
        .reply(
          #"{"release":"0.4.0","connected":false,"segments":0,"logbook_message":"no recorder","#
            + #""coach":{"sport":"off","preference_per_min":0}}"#)
      ]
    ]
  ]

  private static let bridge: StandInDaemon.Script = [
    "status": [
      [
        .reply(
          #"{"release":"0.4.0","group":"home","receiver":"bike-7","connected":true,"broker":{"state":"waiting"},"#
            + #""spool":{"records":7,"bytes":4096,"limit_bytes":67108864,"lost":2},"live":{"mode":"wanted"}}"#)
      ]
    ]
  ]

  private func metrics(_ daemon: StandInDaemon) throws -> [String] {
    let outcome = try cyclo("metrics", socket: daemon.controlSocket)
    #expect(outcome.status == 0 && outcome.complaint == "", "\(outcome)")
    return outcome.lines
  }

  @Test("metrics has the health of the daemon, the adapter and each sensor")
  func daemonAndSensors() throws {
    let daemon = try StandInDaemon(Self.daemon)
    defer { daemon.stop() }
    #expect(
      try metrics(daemon).filter { !$0.hasPrefix("# ") } == [
        #"cyclometer_up{service="cyclometerd"} 1"#,
        #"cyclometer_release{service="cyclometerd",release="0.1.0"} 1"#,
        "cyclometer_uptime_seconds 11520",
        "cyclometer_clients 2",
        "cyclometer_bluetooth_usable 0",
        #"cyclometer_adapter_state{adapter="hci0",state="absent"} 0"#,
        #"cyclometer_adapter_state{adapter="hci0",state="blocked"} 0"#,
        #"cyclometer_adapter_state{adapter="hci0",state="off"} 1"#,
        #"cyclometer_adapter_state{adapter="hci0",state="on"} 0"#,
        "cyclometer_position_receivers 1",
        "cyclometer_sensor_file_errors 1",
        #"cyclometer_sensors{state="searching"} 0"#,
        #"cyclometer_sensors{state="connecting"} 0"#,
        #"cyclometer_sensors{state="streaming"} 0"#,
        #"cyclometer_sensors{state="stale"} 1"#,
        #"cyclometer_sensors{state="disabled"} 0"#,
        #"cyclometer_sensors{state="error"} 0"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="searching"} 0"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="connecting"} 0"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="streaming"} 0"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="stale"} 1"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="disabled"} 0"#,
        #"cyclometer_sensor_state{sensor="polar-h10-1a2b",state="error"} 0"#,
        #"cyclometer_sensor_reconnects_total{sensor="polar-h10-1a2b"} 3"#,
        #"cyclometer_sensor_silent_reconnects_total{sensor="polar-h10-1a2b"} 1"#,
        #"cyclometer_sensor_longest_gap_seconds{sensor="polar-h10-1a2b"} 4.5"#,
        #"cyclometer_sensor_packets_total{sensor="polar-h10-1a2b"} 120"#,
        #"cyclometer_sensor_missed_packets_total{sensor="polar-h10-1a2b"} 7"#,
        #"cyclometer_sensor_battery_ratio{sensor="polar-h10-1a2b"} 0.8"#,
        #"cyclometer_sensor_signal_dbm{sensor="polar-h10-1a2b"} -61"#,
      ])
  }

  @Test("unknown values are omitted, and states of a later daemon are kept")
  func unknownValues() throws {
    let sensor = #"{"id":"x-1","name":"X","address":"A0:9E:1A:00:00:01","plugins":[],"kinds":[],"state":"dreaming"}"#
    let daemon = try StandInDaemon(["status": [[.reply(#"{"adapters":[],"sensors":[\#(sensor)]}"#)]]])
    defer { daemon.stop() }
    let lines = try metrics(daemon)
    #expect(lines.contains(#"cyclometer_sensors{state="dreaming"} 1"#))
    #expect(lines.contains(#"cyclometer_sensor_state{sensor="x-1",state="dreaming"} 1"#))
    let names = [
      "uptime", "clients", "position", "sensor_file", "sensor_reconnects", "sensor_battery", "sensor_signal",
    ]
    for name in names { #expect(!lines.contains { $0.hasPrefix("cyclometer_" + name) }, "\(name)") }
  }

  @Test("metrics has the health of recorder, guide and bridge")
  func otherServices() throws {
    let daemon = try StandInDaemon(Self.daemon)
    defer { daemon.stop() }
    let recorder = try StandInDaemon(
      Self.recorder, socket: "logbook.sock", beside: daemon, greetings: [LogbookTests.hello])
    defer { recorder.stop() }
    let guide = try StandInDaemon(Self.guide, socket: "guide.sock", beside: daemon)
    defer { guide.stop() }
    let bridge = try StandInDaemon(Self.bridge, socket: "mqtt.sock", beside: daemon)
    defer { bridge.stop() }
    let lines = try metrics(daemon)
    for line in [
      #"cyclometer_up{service="cyclometer-recorder"} 1"#,
      #"cyclometer_release{service="cyclometer-recorder",release="0.4.0"} 1"#,
      "cyclometer_recorder_connected 1", "cyclometer_recorder_recording 1",
      #"cyclometer_recorder_storage_state{state="ok"} 0"#, #"cyclometer_recorder_storage_state{state="low"} 1"#,
      #"cyclometer_recorder_storage_state{state="failed"} 0"#, "cyclometer_recorder_storage_left_seconds 5400",
      "cyclometer_recorder_sync_p99_seconds 0.25", "cyclometer_recorder_export_failed 1",
      #"cyclometer_up{service="cyclometer-guide"} 1"#, "cyclometer_guide_connected 0",
      "cyclometer_guide_logbook_usable 0",
      #"cyclometer_up{service="cyclometer-mqtt"} 1"#, "cyclometer_bridge_connected 1",
      #"cyclometer_bridge_broker_state{state="connected"} 0"#, #"cyclometer_bridge_broker_state{state="waiting"} 1"#,
      "cyclometer_bridge_unsent_records 7", "cyclometer_bridge_spool_bytes 4096",
      "cyclometer_bridge_spool_limit_bytes 67108864", "cyclometer_bridge_lost_records_total 2",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    // The memory is that of a real process: Tests/Clients/test_metrics.py.
    let printed = HealthMetric.allCases.filter { metric in
      lines.contains { $0.hasPrefix("# TYPE \(metric.family.name) \(metric.family.kind.rawValue)") }
    }
    #expect(Set(HealthMetric.allCases).subtracting(printed) == [.residentMemory, .privateMemory])
  }

  @Test("a service that does not answer is down, and one without a socket is omitted")
  func silentServices() throws {
    let daemon = try StandInDaemon(["status": [[.hangUp]]])
    defer { daemon.stop() }
    let guide = try StandInDaemon([:], socket: "guide.sock", beside: daemon, greetings: [#"{"class":"hello"}"#])
    defer { guide.stop() }
    #expect(
      try metrics(daemon).filter { !$0.hasPrefix("# ") } == [
        #"cyclometer_up{service="cyclometerd"} 0"#,
        #"cyclometer_up{service="cyclometer-guide"} 0"#,
      ])
  }

  @Test("each family has one type and one help, and the text ends with EOF")
  func families() throws {
    let daemon = try StandInDaemon(Self.daemon)
    defer { daemon.stop() }
    let lines = try metrics(daemon)
    #expect(lines.last == "# EOF")
    for metric in HealthMetric.allCases {
      let family = metric.family
      let own = lines.indices.filter { place in
        ["{", " "].contains { lines[place].hasPrefix(family.sampleName + $0) }
      }
      guard let first = own.first, let last = own.last else { continue }
      #expect(last - first == own.count - 1, "the samples of \(family.name) are not together")
      #expect(lines[first - 2] == "# TYPE \(family.name) \(family.kind.rawValue)")
      #expect(lines[first - 1] == "# HELP \(family.name) \(family.help)")
    }
  }

  @Test("the values of labels are escaped")
  func escapes() {
    var text = OpenMetricsText()
    text.add(.release, 1, ("service", #"a\b"c"# + "\nd"), ("release", "ä"))
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.dropFirst(2) == [#"cyclometer_release{service="a\\b\"c\nd",release="ä"} 1"#, "# EOF"])
  }

  @Test("a number that is not finite is omitted")
  func notFinite() {
    var text = OpenMetricsText()
    text.add(.uptime, .infinity)
    text.add(.uptime, .nan)
    #expect(text.bytes == Array("# EOF\n".utf8))
  }

  @Test("names are unique, and follow the rules of OpenMetrics")
  func names() {
    let families = HealthMetric.allCases.map(\.family)
    #expect(Set(families.map(\.name)).count == families.count)
    for family in families {
      #expect(family.name.wholeMatch(of: /cyclometer_[a-z0-9_]+/) != nil, "\(family.name)")
      #expect(!family.name.hasSuffix("_total"), "\(family.name)")
      #expect(family.help.last == "." && !family.help.contains("\\") && !family.help.contains("\n"), "\(family.name)")
    }
  }
}

// The metrics of `cyclo metrics`: one line in the table for each. docs/recipes.md says how to collect
// them.

/// A metric: the name of its family, its type, and the text of its HELP line.
public enum HealthMetric: CaseIterable, Sendable {
  case isUp, release
  case uptime, residentMemory, privateMemory, clients
  case bluetoothUsable, adapterState, positionReceivers, sensorFileErrors
  case sensors, sensorState, sensorReconnects, sensorSilentReconnects, sensorLongestGap, sensorPackets
  case sensorMissedPackets, sensorBattery, sensorSignal
  case recorderConnected, recorderRecording, recorderStorage, recorderStorageLeft, recorderSync, recorderExport
  case guideConnected, guideLogbook
  case bridgeConnected, bridgeBroker, bridgeUnsent, bridgeSpool, bridgeSpoolLimit, bridgeLost

  public enum Kind: String, Sendable {
    case gauge, counter
  }

  public struct Family: Sendable {
    public let name: String
    public let kind: Kind
    public let help: String

    /// A counter's samples have `_total` after the name of their family.
    public var sampleName: String { kind == .counter ? name + "_total" : name }

    fileprivate init(_ name: String, _ kind: Kind, _ help: String) {
      (self.name, self.kind, self.help) = ("cyclometer_" + name, kind, help)
    }
  }

  public var family: Family {
    switch self {
    case .isUp: Family("up", .gauge, "Whether the service answers. A service without a socket is omitted.")
    case .release: Family("release", .gauge, "Always 1. The label has the release of the service.")
    case .uptime: Family("uptime_seconds", .gauge, "Time since the daemon started.")
    case .residentMemory: Family("resident_memory_bytes", .gauge, "Memory of the daemon, including shared pages.")
    case .privateMemory:
      Family("private_memory_bytes", .gauge, "Anonymous memory of the daemon, which no other process shares.")
    case .clients:
      Family("clients", .gauge, "Connections to both sockets of the daemon, including that of this command.")
    case .bluetoothUsable: Family("bluetooth_usable", .gauge, "Whether the daemon can use Bluetooth.")
    case .adapterState: Family("adapter_state", .gauge, "1 for the state of the Bluetooth adapter, 0 for all others.")
    case .positionReceivers: Family("position_receivers", .gauge, "Receivers of positions that work, as gpsd reports.")
    case .sensorFileErrors: Family("sensor_file_errors", .gauge, "Sensor files that are not used because of an error.")
    case .sensors: Family("sensors", .gauge, "Paired sensors by state.")
    case .sensorState: Family("sensor_state", .gauge, "1 for the state of the sensor, 0 for all others.")
    case .sensorReconnects: Family("sensor_reconnects", .counter, "Lost connections since the daemon started.")
    case .sensorSilentReconnects:
      Family("sensor_silent_reconnects", .counter, "Connections replaced because the sensor was silent.")
    case .sensorLongestGap:
      Family("sensor_longest_gap_seconds", .gauge, "Longest time without a value because of a lost connection.")
    case .sensorPackets: Family("sensor_packets", .counter, "Packets received on the main characteristic.")
    case .sensorMissedPackets: Family("sensor_missed_packets", .counter, "Estimated number of missing packets.")
    case .sensorBattery: Family("sensor_battery_ratio", .gauge, "Charge of the sensor's battery, from 0 to 1.")
    case .sensorSignal: Family("sensor_signal_dbm", .gauge, "Signal strength of the sensor. Nearer to 0 is stronger.")
    case .recorderConnected: Family("recorder_connected", .gauge, "Whether the recorder is connected to the daemon.")
    case .recorderRecording: Family("recorder_recording", .gauge, "Whether the recorder records an activity.")
    case .recorderStorage: Family("recorder_storage_state", .gauge, "1 for the state of the storage, 0 for all others.")
    case .recorderStorageLeft:
      Family("recorder_storage_left_seconds", .gauge, "Time that can be recorded until the storage is full.")
    case .recorderSync: Family("recorder_sync_p99_seconds", .gauge, "99 of 100 commits take at most this time.")
    case .recorderExport: Family("recorder_export_failed", .gauge, "Whether the last automatic export failed.")
    case .guideConnected: Family("guide_connected", .gauge, "Whether the guide is connected to the daemon.")
    case .guideLogbook: Family("guide_logbook_usable", .gauge, "Whether the guide can read routes from the recorder.")
    case .bridgeConnected: Family("bridge_connected", .gauge, "Whether the bridge is connected to the daemon.")
    case .bridgeBroker:
      Family("bridge_broker_state", .gauge, "1 for the state of the connection to the broker, 0 for all others.")
    case .bridgeUnsent: Family("bridge_unsent_records", .gauge, "Records that the broker has not confirmed.")
    case .bridgeSpool: Family("bridge_spool_bytes", .gauge, "Space that unsent records use.")
    case .bridgeSpoolLimit: Family("bridge_spool_limit_bytes", .gauge, "Space that unsent records may use.")
    case .bridgeLost: Family("bridge_lost_records", .counter, "Records dropped because the spool was full.")
    }
  }
}

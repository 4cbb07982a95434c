// Everything that the checks of `cyclo doctor` can find, in sections. It is complete by construction:
// a diagnosis needs a check, the compiler requires every check below, and `CaseIterable` lists
// everything that a check can find.

import Troubleshooting

protocol Symptom: CaseIterable {
  func diagnosis(_ values: Values) -> Diagnosis
  var condition: String { get }
}

extension Symptom {
  var condition: String { "" }
}

extension DaemonSymptom: Symptom {}
extension ReleaseSymptom: Symptom {}
extension PermissionSymptom: Symptom {}
extension ServiceSymptom: Symptom {}
extension SandboxSymptom: Symptom {}
extension SensorFileSymptom: Symptom {}
extension ResetSymptom: Symptom {}
extension BlueZSymptom: Symptom {}
extension RestartSymptom: Symptom {}
extension AdapterSymptom: Symptom {}
extension LinksSymptom: Symptom {}
extension PowerSymptom: Symptom {}
extension WirelessSymptom: Symptom {}
extension PositionSymptom: Symptom {}
extension RecorderSymptom: Symptom {}
extension GuideSymptom: Symptom {}
extension BridgeSymptom: Symptom {}
extension DashboardSymptom: Symptom {}
extension StorageSymptom: Symptom {}
extension InterruptedSymptom: Symptom {}
extension ExportSymptom: Symptom {}
extension StateSymptom: Symptom {}
extension ConnectingSymptom: Symptom {}
extension PluginSymptom: Symptom {}
extension BatterySymptom: Symptom {}
extension SignalSymptom: Symptom {}
extension PacketSymptom: Symptom {}
extension ReconnectSymptom: Symptom {}
extension SilenceSymptom: Symptom {}
extension WheelSymptom: Symptom {}
extension QuirkSymptom: Symptom {}

extension Check {
  /// A section of the page.
  enum Group: String, CaseIterable {
    case daemon = "The daemon"
    case bluetooth = "Bluetooth"
    case links = "Radio links"
    case position = "Position"
    case recorder = "The recorder"
    case guide = "The guide"
    case bridge = "The bridge to an MQTT broker"
    case dashboard = "The dashboard"
    case sensor = "Each sensor"
  }

  var group: Group {
    switch self {
    case .daemon, .release, .permission, .service, .sandbox, .files: .daemon
    case .reset, .bluez, .restart, .adapter: .bluetooth
    case .links, .power, .wifi: .links
    case .position: .position
    case .recorder, .storage, .interrupted, .export: .recorder
    case .guide: .guide
    case .bridge: .bridge
    case .dashboard: .dashboard
    case .state, .plugins, .battery, .signal, .packets, .reconnects, .silence, .wheel, .quirk: .sensor
    }
  }

  struct Entry {
    let diagnosis: Diagnosis
    /// Doctor reports it if this is so; empty if the text says that.
    let condition: String
  }

  /// Everything that this check can find, with placeholders.
  var entries: [Entry] {
    switch self {
    case .daemon: all(DaemonSymptom.self)
    case .release: all(ReleaseSymptom.self)
    case .permission: all(PermissionSymptom.self)
    case .service: all(ServiceSymptom.self)
    case .sandbox: all(SandboxSymptom.self)
    case .files: all(SensorFileSymptom.self)
    case .reset: all(ResetSymptom.self)
    case .bluez: all(BlueZSymptom.self)
    case .restart: all(RestartSymptom.self)
    case .adapter: all(AdapterSymptom.self)
    case .links: all(LinksSymptom.self)
    case .power: all(PowerSymptom.self)
    case .wifi: all(WirelessSymptom.self)
    case .position: all(PositionSymptom.self)
    case .recorder: all(RecorderSymptom.self)
    case .storage: all(StorageSymptom.self)
    case .interrupted: all(InterruptedSymptom.self)
    case .export: all(ExportSymptom.self)
    case .guide: all(GuideSymptom.self)
    case .bridge: all(BridgeSymptom.self)
    case .dashboard: all(DashboardSymptom.self)
    case .state: all(StateSymptom.self) + all(ConnectingSymptom.self)
    case .plugins: all(PluginSymptom.self)
    case .battery: all(BatterySymptom.self)
    case .signal: all(SignalSymptom.self)
    case .packets: all(PacketSymptom.self)
    case .reconnects: all(ReconnectSymptom.self)
    case .silence: all(SilenceSymptom.self)
    case .wheel: all(WheelSymptom.self)
    case .quirk: all(QuirkSymptom.self)
    }
  }

  private func all<Each: Symptom>(_ symptoms: Each.Type) -> [Entry] {
    Each.allCases.map { Entry(diagnosis: $0.diagnosis(.placeholders), condition: $0.condition) }
  }
}

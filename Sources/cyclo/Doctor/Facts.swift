// Input of the checks: the daemon's replies and the state of the machine.

import CyclometerClient
import CyclometerSamples
import JSON
import Linux
import Release
import SensorKit
import Wire

struct Facts {
  enum Contact: Equatable {
    case answers(release: String, path: String, control: Control)
    case absent(path: String)
    case notAllowed(path: String)
    /// The socket accepts, but there is no valid answer.
    case silent(reason: String)
  }

  /// Whether this user may use the control socket.
  enum Control: Equatable {
    case allowed
    /// Only metrics.sock is permitted.
    case refused
    /// Only metrics.sock exists, for example in a container.
    case absent
  }

  var contact: Contact
  /// The socket has its default path.
  var isUsualSocket = true
  var ownRelease = release
  /// The reply to `status`, if any.
  var status: StatusReply?
  /// The reply to `plugins`; nil from an older daemon.
  var plugins: PluginsReply?
  /// Seconds since the last data of each sensor id; missing if there was none since the daemon started.
  var silences: [String: Double] = [:]
  /// Sensors whose last speed sample has wheel turns but no speed.
  var unmeasuredWheels: Set<String> = []
  /// A ride is in progress.
  var isRiding = false
  var logbook = LogbookContact.absent
  var guide = GuideContact.absent
  var bridge = BridgeContact.absent
  var dashboard = DashboardContact.absent
  var host = HostFacts()
  /// Known deviations of devices.
  var quirks: [Quirk] = []
}

extension Facts {
  var isSimulated: Bool { status?.daemon.isSimulated == true }
  var uptime: Double? { status?.daemon.uptimeS }
  var sensors: [SensorRecord] { status?.sensors ?? [] }
  var adapters: [AdapterRecord] { status?.adapters ?? [] }
  /// Why Bluetooth is unavailable.
  var obstacle: WireWord<StateReason>? { status?.bluetooth.reason }

  /// The shortest supervision timeout of the adapters in use.
  var supervisionTimeout: Int? {
    adapters.compactMap { $0.links?.supervisionTimeoutMS }.min()
  }
}

extension Facts {
  static func gather(from endpoint: Endpoint) -> Facts {
    var facts = Facts(contact: .absent(path: endpoint.controlSocket))
    facts.isUsualSocket = endpoint == Endpoint(controlSocket: "/run/cyclometer/control.sock")
    (facts.logbook, facts.guide) = (.ask(endpoint), .ask(endpoint))
    (facts.bridge, facts.dashboard) = (.ask(endpoint), .ask(endpoint))
    facts.host = .gather(runtimeFolder: Files.parent(of: endpoint.controlSocket))
    do throws(ClientError) {
      try facts.ask(endpoint)
    } catch {
      facts.contact =
        switch error {
        case .noDaemon(let path): .absent(path: path)
        case .notAllowed(let path): .notAllowed(path: path)
        default: .silent(reason: error.description)
        }
    }
    return facts
  }

  /// Updates the facts from the last samples.
  mutating func take(_ samples: [Sample]) {
    for sample in samples {
      silences[sample.sensor] = min(sample.age, silences[sample.sensor] ?? sample.age)
      if let ride = RideSample(sample.record) {
        isRiding = ride.ended != true && sample.age < Self.longestSilenceOfRide
      }
      if let speed = SpeedSample(sample.record), speed.lacksWheel { unmeasuredWheels.insert(sample.sensor) }
    }
  }

  /// In seconds. A ride's own sample comes once a second.
  private static let longestSilenceOfRide = 10.0

  private mutating func ask(_ endpoint: Endpoint) throws(ClientError) {
    let connection = try Connection(to: endpoint, for: .read)
    let answer = try connection.request(.status).content
    let isControl = connection.path == endpoint.controlSocket
    contact = .answers(
      release: answer.daemon.release ?? connection.greeting.release, path: connection.path,
      control: isControl ? .allowed : Files.exists(endpoint.controlSocket) ? .refused : .absent)
    status = answer
    plugins = try? connection.request(.plugins()).content
    take(try connection.request(.poll(Filter())).content.records.compactMap { SampleRecord($0) }.map { Sample($0) })
  }
}

// Looks at a device that may have no plugin, for one client: connects to it without pairing, lists
// its characteristics, and records for a while what it sends. Then the device is forgotten.

import CaptureFormat
import Connections
import EventLoop
import Linux
import Radio
import Sensing
import Serving
import Time
import Vocabulary
import Wire

final class Inspection: ClientOperation {
  let connection: DeviceConnection
  private let seconds: Double
  private let asker: Asker
  private let loop: EventLoop
  private let condition: () -> RadioCondition
  private let identify: (Advert) -> String
  private let onEnd: (Inspection) -> Void
  private var reply = InspectReply()
  /// Nil once it has ended.
  private var deadline: Deadline?
  private var isRecording = false
  private var requests: LinkRequests?

  static let defaultSeconds = 30.0
  /// A line has room for so many, even if every UUID is long.
  static let mostCharacteristics = 256
  private static let mostServices = 64

  /// `identify` returns the id that a device would get.
  init(
    of address: DeviceAddress, name: String?, seconds: Double, for asker: Asker, loop: EventLoop,
    services: ConnectionServices, condition: @escaping () -> RadioCondition,
    identify: @escaping (Advert) -> String, onEnd: @escaping (Inspection) -> Void
  ) {
    self.identify = identify
    self.seconds = seconds
    self.asker = asker
    self.loop = loop
    self.condition = condition
    self.onEnd = onEnd
    reply.id = identify(Advert(address: address, name: name, rssi: nil, services: []))
    reply.address = address.text
    reply.name = name
    connection = DeviceConnection(to: address, label: (reply.id, name ?? address.text), services: services.forVisits)
    connection.work(for: self)
    deadline = loop.schedule(after: Pairing.timeLimit) { [weak self] in self?.timeIsOver() }
  }

  func handle(_ advert: Advert) {
    guard !isRecording else { return }
    if let name = advert.name, name != reply.name { introduce(name, advert) }
    for service in advert.services.map(\.description)
    where !reply.services.contains(service) && reply.services.count < Self.mostServices {
      reply.services.append(service)
    }
    for data in advert.manufacturerData { record(.advert(data.company, data.value)) }
    for data in advert.serviceData { record(.serviceData(data.service, data.value)) }
    connection.update(rssi: advert.rssi)
    connection.advertised()
  }

  private func introduce(_ name: String, _ advert: Advert) {
    reply.name = name
    reply.id = identify(advert)
    connection.rename(reply.id, to: name)
  }

  func cancel() {
    if isRecording { finish(because: nil) } else { fail(Refusal(.cancelled, "cancelled by this connection")) }
  }

  func end() {
    guard let deadline else { return }
    deadline.cancel()
    self.deadline = nil
    requests = nil
    asker.client?.endOperation()
    connection.discard()
    onEnd(self)
  }
}

// MARK: The end

extension Inspection {
  private func timeIsOver() {
    if isRecording {
      finish(because: nil)
    } else {
      fail(.unconnected(connection, within: Pairing.timeLimit, condition()))
    }
  }

  private func fail(_ refusal: Refusal) {
    guard deadline != nil else { return }
    end()
    asker.refuse(refusal)
  }

  /// The client keeps what it has received.
  private func finish(because reason: StateReason?) {
    guard deadline != nil else { return }
    end()
    asker.client?.send(InspectEndedRecord(reason: reason))
  }
}

// MARK: The device

extension Inspection: DeviceConnectionDelegate {
  func connectionChangedState(_ connection: DeviceConnection) {
    guard connection.state == .error, !isRecording else { return }
    fail(Refusal(.pairingFailed, connection.failure?.detail ?? "cannot connect"))
  }

  func connection(_ connection: DeviceConnection, openedWith endpoints: [Endpoint], on link: any Link)
    -> LinkFailure?
  {
    guard deadline != nil, !isRecording else { return nil }
    isRecording = true
    connection.subscribed()
    deadline?.cancel()
    deadline = loop.schedule(after: .seconds(seconds)) { [weak self] in self?.timeIsOver() }
    let listed = endpoints.prefix(Self.mostCharacteristics)
    reply.characteristics = listed.map { InspectReply.Characteristic($0, link.properties(of: $0)) }
    reply.more = endpoints.count - listed.count
    let reply = reply
    asker.answer(.result { reply.write(into: &$0) })
    record(.connected)
    let requests = LinkRequests(on: link, loop: loop) { [weak self] endpoint, value in
      self?.record(.value(.read, endpoint.characteristic, value))
    }
    self.requests = requests
    requests.begin(with: Array(listed))
    return nil
  }

  func connection(
    _ connection: DeviceConnection, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool
  ) {
    let bytes = value.indices.map { value[$0] }
    record(.value(indicated ? .indicate : .notify, endpoint.characteristic, bytes))
  }

  /// Ends after the connection has done what follows from the loss.
  func connectionClosed(_ connection: DeviceConnection, wasOpen: Bool) {
    guard isRecording, deadline != nil else { return }
    requests = nil
    record(.disconnected)
    let reason = connection.failure?.reason ?? .linkLost
    loop.schedule(after: .zero) { [weak self] in self?.finish(because: reason) }
  }

  func connectionMoved(_ connection: DeviceConnection) {}

  func lastWrites(of connection: DeviceConnection) -> [LinkWrite] { [] }

  func connectionReceivedFirstValue(_ connection: DeviceConnection) {}

  func connectionChangedSignal(_ connection: DeviceConnection) {}

  func silenceLimits(of connection: DeviceConnection) -> SilenceLimits { SilenceLimits() }

  func requiredSubscriptions(of connection: DeviceConnection) -> [Endpoint] { [] }

  private func record(_ event: CaptureEvent) {
    guard deadline != nil else { return }
    asker.client?.send(RawRecord(sensor: reply.id, time: loop.now, event: event))
  }
}

extension InspectReply.Characteristic {
  fileprivate init(_ endpoint: Endpoint, _ allowed: CharacteristicProperties) {
    self.init()
    service = endpoint.service.description
    characteristic = endpoint.characteristic.description
    let words: [(CharacteristicProperties, InspectReply.Property)] = [
      (.read, .read), (.write, .write), (.writeWithoutResponse, .writeWithoutResponse), (.notify, .notify),
      (.indicate, .indicate),
    ]
    properties = words.filter { allowed.contains($0.0) }.map { WireWord($0.1) }
  }
}

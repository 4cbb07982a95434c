// One sensor of the daemon: its connection, the reader of its packets, and where its samples go.
//
// Invariant: samples are published only in the state `streaming`, which begins with a value of the
// sensor's own kinds.

import Connections
import JSON
import Radio
import Ride
import Sensing
import SensorKit
import Serving
import Time
import Vocabulary
import Wire

protocol SensorSessionDelegate: AnyObject {
  func sessionChangedState(_ session: SensorSession)
  /// The first sample since its link opened.
  func sessionReceivedFirstValue(_ session: SensorSession)
  /// The sensor has revealed its permanent address.
  func sessionMoved(_ session: SensorSession)
  /// The session's knowledge of the sensor changed, such as its facts or plugins.
  func sessionLearned(_ session: SensorSession)
}

final class SensorSession {
  /// The sensor id in samples; fixed once it streams.
  private(set) var id: String
  private(set) var name: String
  let connection: DeviceConnection
  let reader: SensorReader
  private let publisher: Publisher
  private let ride: RideKeeper
  private weak var delegate: (any SensorSessionDelegate)?
  private var streams: [SampleStream] = []
  /// Its source number in the ride, once it has a sample.
  private var rideSource: RideKeeper.Source?

  /// Shared by all sessions of a daemon.
  struct Environment {
    let connecting: ConnectionServices
    let reading: ReaderServices
    let publisher: Publisher
    let ride: RideKeeper
  }

  init(
    address: DeviceAddress, id: String, name: String, deviceName: String, settings: SensorSettings,
    plugins: [String] = [], isBonded: Bool = false, isUrgent: Bool = false, isPairing: Bool = false,
    environment: Environment,
    delegate: any SensorSessionDelegate
  ) {
    self.id = id
    self.name = name
    self.delegate = delegate
    publisher = environment.publisher
    ride = environment.ride
    connection = DeviceConnection(
      to: address, label: (id, name), isBonded: isBonded, isUrgent: isUrgent, isPairing: isPairing,
      services: environment.connecting)
    reader = SensorReader(
      id: id, address: address, deviceName: deviceName, settings: settings, plugins: plugins,
      services: environment.reading)
    connection.work(for: self)
    reader.work(for: self)
  }

  var address: DeviceAddress { connection.address }
  var state: SensorState { connection.state }

  var stateRecord: StateRecord {
    StateRecord(
      sensor: id, state: state, reason: connection.reason, since: connection.since, retryMS: connection.retryMS)
  }
}

// MARK: Calls from the daemon

extension SensorSession {
  /// From now on, reports to another part of the daemon.
  func work(for delegate: any SensorSessionDelegate) { self.delegate = delegate }

  /// The daemon stops, or the sensor was forgotten. Nothing more is published or logged.
  func discard() {
    delegate = nil
    connection.discard()
    reader.work(for: nil)
  }

  func rename(to name: String) {
    self.name = name
    connection.rename(id, to: name)
  }

  /// Names a sensor that is being paired after its first advert.
  func introduce(id: String, name: String, deviceName: String) {
    guard streams.isEmpty else { return }
    self.id = id
    reader.introduce(id: id, deviceName: deviceName)
    rename(to: name)
  }

  func handle(_ advert: Advert) {
    connection.update(rssi: advert.rssi)
    if let name = advert.name { reader.update(deviceName: name) }
    reader.capture(advert)
    if connection.isOpenToBroadcasts, reader.broadcast(advert) {
      connection.packetEnded()
    } else {
      connection.advertised()
    }
  }

  /// Calls `completion` once, unless it throws.
  func command(
    _ command: Command, _ completion: @escaping (Result<JSONValue, Refusal>) -> Void
  ) throws(Refusal) {
    guard connection.isSubscribed else {
      let reason = connection.reason.map { ", \($0.rawValue)" } ?? ""
      throw Refusal(.notConnected, "it is not connected (\(state.rawValue)\(reason))")
    }
    try reader.command(command, completion)
  }

  /// The plugins were read again.
  func followPlugins() {
    if !reader.followPlugins() {
      // A broadcaster that is disabled, or waits for the radio, has nothing that could fail.
      let waitsForRadio = connection.state == .searching && connection.reason?.isOfRadio == true
      if ![.disabled, .error].contains(connection.state), !waitsForRadio { connection.fail(missingPlugin) }
      // Another plugin may connect to it.
      connection.become(broadcaster: false)
    } else if connection.state == .error, connection.reason == .unsupported {
      connection.start()
    } else {
      connection.become(urgent: reader.infos.contains(where: \.watchesTheRoad))
    }
  }

  /// No plugin is left that decodes its adverts.
  func failWithoutPlugin() {
    if connection.state == .searching { connection.fail(missingPlugin) }
  }

  private var missingPlugin: LinkFailure {
    let ids = reader.missingPlugins.joined(separator: ", ")
    return LinkFailure(.needsUser, .unsupported, "its plugin \(ids) is not loaded: see 'cyclo plugin list'")
  }

  /// Its last values do not count for the ride any more, unless it streams.
  func leaveRideIfSilent() {
    if state != .streaming, let rideSource { ride.lost(rideSource) }
  }

  /// The user has paired the sensor: its samples are published from now on.
  func finishPairing() {
    connection.finishPairing()
    reader.readCompanionsAgain()
  }
}

// MARK: The connection

extension SensorSession: DeviceConnectionDelegate {
  func connectionChangedState(_ connection: DeviceConnection) {
    delegate?.sessionChangedState(self)
  }

  func connection(_ connection: DeviceConnection, openedWith endpoints: [Endpoint], on link: any Link)
    -> LinkFailure?
  {
    guard reader.open(link, endpoints) else {
      guard reader.missingPlugins.isEmpty else { return missingPlugin }
      return LinkFailure(.unsupported, "none of its services is supported")
    }
    connection.become(urgent: reader.infos.contains(where: \.watchesTheRoad))
    return nil
  }

  func connection(
    _ connection: DeviceConnection, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool
  ) {
    reader.received(value, from: endpoint, indicated: indicated)
    connection.packetEnded()
  }

  func lastWrites(of connection: DeviceConnection) -> [LinkWrite] { reader.lastWrites() }

  func connectionClosed(_ connection: DeviceConnection, wasOpen: Bool) { reader.close(wasOpen: wasOpen) }

  func connectionReceivedFirstValue(_ connection: DeviceConnection) { delegate?.sessionReceivedFirstValue(self) }

  func connectionMoved(_ connection: DeviceConnection) {
    reader.move(to: address)
    delegate?.sessionMoved(self)
  }

  /// If two sensors measure the same, the ride prefers the one with the stronger signal.
  func connectionChangedSignal(_ connection: DeviceConnection) {
    guard let rideSource else { return }
    ride.update(signal: connection.rssi.map(Double.init), of: rideSource)
  }

  func silenceLimits(of connection: DeviceConnection) -> SilenceLimits {
    guard let silence = reader.silence else { return SilenceLimits() }
    // Without the program that decodes, nothing is known of its silence, and another link helps nothing.
    if reader.obstacle != nil { return SilenceLimits(staleAfter: silence.staleAfter, reconnectAfter: nil) }
    return SilenceLimits(staleAfter: silence.staleAfter, reconnectAfter: silence.reconnectAfter)
  }

  func requiredSubscriptions(of connection: DeviceConnection) -> [Endpoint] { reader.requiredSubscriptions }
}

// MARK: The reader

extension SensorSession: SensorReaderOwner {
  func reader(_ reader: SensorReader, understoodPacketFrom characteristic: BluetoothUUID?) {
    connection.received(from: characteristic)
  }

  func readerFoundValue(_ reader: SensorReader) { connection.valueArrived() }

  func isPublishing(_ reader: SensorReader) -> Bool { connection.isStreaming }

  /// The samples of a sensor that is being paired are not published.
  func reader(
    _ reader: SensorReader, read entry: Batch.Entry, of batch: borrowing Batch, _ kind: SampleKind,
    at time: MonotonicTime
  ) {
    guard !connection.isPairing else { return }
    publisher.publish(entry, of: batch, on: stream(kind), at: time)
    guard reader.counts(kind) else { return }
    if let source = rideSource ?? findRideSource() { ride.handle(entry, of: batch, from: source, at: time) }
  }

  /// An event belongs to the kind of its own name.
  func reader(
    _ reader: SensorReader, readEvent name: Word, _ entry: Batch.Entry, of batch: borrowing Batch,
    at time: MonotonicTime
  ) {
    guard !connection.isPairing else { return }
    publisher.publish(event: name, entry, of: batch, kind: SampleKind(name), owner: id, namesOwner: true, at: time)
  }

  func readerLearned(_ reader: SensorReader) {
    connection.become(broadcaster: reader.isBroadcaster)
    delegate?.sessionLearned(self)
  }

  func readerIsReady(_ reader: SensorReader) {
    connection.subscribed()
    if let obstacle = reader.obstacle { connection.decoderChanged(obstacle) }
  }

  func readerChangedProcess(_ reader: SensorReader) { connection.decoderChanged(reader.obstacle) }

  func readerMissedAnswer(_ reader: SensorReader) { connection.packetWasNotDecoded() }

  func readerEndedPacket(_ reader: SensorReader) { connection.packetEnded() }

  func reader(_ reader: SensorReader, failed failure: LinkFailure) {
    if failure.needsBond, connection.bond() { return }
    connection.fail(failure)
  }

  private func stream(_ kind: SampleKind) -> SampleStream {
    if let known = streams.first(where: { $0.kind == kind }) { return known }
    let stream = publisher.stream(id, kind)
    streams.append(stream)
    return stream
  }

  private func findRideSource() -> RideKeeper.Source? {
    rideSource = ride.source(of: id)
    connectionChangedSignal(connection)
    return rideSource
  }
}

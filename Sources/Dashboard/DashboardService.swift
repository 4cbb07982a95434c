// The dashboard's server: the daemon's values for pages in browsers, what pages have the daemon do,
// and who may do what. Everything runs on the loop's thread.

import CyclometerClient
public import EventLoop
import HTTPServing
import JSON
public import Linux
public import ProgramKit
import WebAccess
import WebDocuments
import WebLogbook

public final class DashboardService {
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let places: DashboardPlaces
  private var configuration: DashboardConfiguration
  /// Keep a second server out of both directories.
  private let locks: [FileDescriptorBox]
  private let phones: PhoneStore
  private let gate: Gate
  private let streams: PageStreams
  private let walls: WallStreams
  private let files: PageFiles
  private let tasks: PageTasks
  private let display: Display
  private let maps: MapFolder
  private let parts: Parts
  private let guideTasks: GuideTasks
  private var daemon: DaemonLink?
  private var guide: GuideLink?
  private var recorder: RecorderFollower?
  /// While the recorder is asked for the ride so far.
  private var history: RideHistory?
  /// It is asked once: from then on, this server knows the ride itself.
  private var hasHistory = false
  private var saving: Deadline?
  private var statusHook: Hook?
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}

  /// What refers to one another.
  private struct Parts {
    let requests: DashboardRequests
    let pages: HTTPServer
    let listening: Listening
  }

  public init(
    loop: EventLoop, configuration: DashboardConfiguration, places: DashboardPlaces, log: Log, release: String
  ) throws(StartError) {
    (self.loop, self.log, self.release) = (loop, log, release)
    (self.places, self.configuration) = (places, configuration)
    locks = [try places.directories.prepare(for: "cyclometer-web"), try places.lockState()]
    phones = PhoneStore(folder: places.directories.state, file: "phones.json", log: log, random: RandomBytes.make)
    gate = Gate(phones, configuration.gate)
    walls = WallStreams(places.bridgeSocket, in: loop, release: release, log: log)
    streams = PageStreams(loop: loop, release: release, walls: walls)
    files = PageFiles(leafletFolder: places.leafletFolder, log: log)
    tasks = PageTasks(places.daemon.controlSocket, streams, in: loop, log: log)
    display = Display()
    maps = MapFolder(places.maps, log: log)
    guideTasks = GuideTasks(places.guideSocket, in: loop)
    let relay = Relay()
    let pairing = PhonePairing(phones, log: log, random: RandomBytes.make)
    let phoneRequests = PhoneRequests(phones, pairing, streams, loop: loop, address: { relay.pageAddress })
    let documents = DocumentRequests(WebDocumentStore(folder: places.directories.state, log: log), streams)
    let mapRequests = MapRequests(maps, streams, loop: loop, log: log)
    let requests = DashboardRequests(
      gate, streams, files, documents, phoneRequests, tasks, display, LogbookGateway(places.logbookSocket, in: loop),
      mapRequests, guideTasks)
    let pages = HTTPServer(loop: loop, log: log, handler: requests)
    let control = WebControl(
      WebRequests(phoneRequests, mapRequests, writeStatus: { relay.service?.writeStatus(into: &$0) }), loop: loop,
      release: release, log: log)
    parts = Parts(requests: requests, pages: pages, listening: Listening(pages, control, log: log))
    relay.service = self
    statusHook = loop.makeHook { relay.service?.statusChanged() }
  }

  public func start() throws(StartError) {
    use(configuration)
    streams.countChanged = { [weak self] in
      self?.statusHook?.schedule()
      self?.daemon?.watchSilence()
      self?.guide?.followDemand()
    }
    let daemon = DaemonLink(streams, to: places.daemon, in: loop, log: log)
    daemon.changed = { [weak self] in self?.statusHook?.schedule() }
    self.daemon = daemon
    guide = GuideLink(streams, to: places.guideSocket, in: loop, log: log)
    recorder = RecorderFollower(
      places.logbookSocket, in: loop,
      onState: { [weak self] state in
        self?.streams.publish(state.line, as: "recorder")
        self?.statusHook?.schedule()
      }, onRecord: { [weak self] line in self?.receive(fromRecorder: line) })
    try parts.listening.listen(places)
    saveUses()
    log.info("cyclometer-web \(release): started")
  }

  private func receive(fromRecorder line: [UInt8]) {
    streams.receive(fromRecorder: line)
    guard !hasHistory, let ride = RecordedRide(line, at: loop.now, calendar: Clock.wallTime) else { return }
    hasHistory = true
    history = RideHistory(
      of: ride, points: PageStreams.historyPoints, from: places.logbookSocket, in: loop
    ) { [weak self] points in
      self?.streams.add(history: points, of: ride)
      self?.history = nil
    }
  }

  /// Where it listens for browsers, with the ports that the kernel chose.
  public var addresses: [InternetAddress] { parts.listening.addresses }

  private func use(_ settings: DashboardConfiguration) {
    configuration = settings
    log.set(level: settings.logLevel)
    gate.change(settings.gate)
    parts.listening.use(names: settings.names)
    tasks.allow(settings.controls)
    display.use(folder: settings.backlight)
    maps.load()
    files.load(places.pageFolder ?? settings.pageFolder, fonts: settings.fontFolders)
    if !maps.maps.isEmpty, !files.hasLeaflet {
      log.warning("maps: pages show the plain grid, because Leaflet is missing: install libjs-leaflet")
    }
  }

  private func saveUses() {
    phones.saveUses(now: loop.now)
    saving = loop.schedule(after: Self.saveInterval) { [weak self] in self?.saveUses() }
  }

  private static let saveInterval = Duration.seconds(600)

  private func writeStatus(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("listening", addresses.map { "\($0)" })
    writer.member("lan", parts.listening.isInNetwork)
    writer.member("readers", streams.count)
    writer.member("connections", parts.pages.connectionCount)
    writer.member("daemon", daemon?.condition)
    writer.member("recorder", recorder?.state.map { $0.absence ?? "connected" } ?? "connecting")
    writer.member("phones", phones.all.count)
    writer.endObject()
  }
}

/// Passes questions on to the service, which is made after those who ask.
private final class Relay {
  weak var service: DashboardService?

  var pageAddress: PageAddress {
    service?.pageAddress ?? PageAddress(origin: "http://localhost", isLocal: true)
  }
}

extension DashboardService {
  fileprivate var pageAddress: PageAddress { parts.listening.pageAddress }
}

extension DashboardConfiguration {
  fileprivate var gate: Gate.Settings { Gate.Settings(names: names, managesInLAN: managesInLAN) }
}

extension DashboardPlaces {
  /// A second server with another runtime directory must not change the same files.
  fileprivate func lockState() throws(StartError) -> FileDescriptorBox {
    do throws(SystemError) {
      if let lock = try Files.lock(stateLock) { return FileDescriptorBox(lock) }
    } catch {
      throw StartError(error)
    }
    throw StartError("another cyclometer-web uses \(directories.state): stop it, or give --state-dir")
  }
}

// MARK: The service

extension DashboardService: Service {
  public var statusLine: String {
    let count = streams.count
    return "\(count) \(count == 1 ? "page" : "pages") open; daemon: \(daemon?.condition ?? "not connected")"
  }

  public func apply(_ settings: DashboardConfiguration) { use(settings) }

  public func stop() {
    saving?.cancel()
    phones.saveUses(now: loop.now, isEnding: true)
    daemon?.stop()
    guide?.stop()
    guideTasks.stop()
    walls.stop()
    (recorder, history) = (nil, nil)
    tasks.stop()
    parts.listening.close()
    log.info("shutting down")
  }
}

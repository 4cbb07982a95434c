// `plugin new --from`: has the daemon connect to a device nearby, records what it sends in a capture,
// and returns what a first file can be made of. The capture is complete at any moment, so what came
// is kept however the inspection ends.

import CaptureFormat
import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Text
import Time
import Vocabulary
import Wire

struct PluginInspection {
  private let session: Session
  private let connection: Connection
  private let address: String
  private let seconds: Double
  private let status: StatusReply
  private let begin = MonotonicTime.now
  private var request: Pending<InspectReply>?
  private(set) var device: InspectReply?
  /// The path of the capture, once there is one.
  private(set) var path: String?
  private var file: CaptureFile?
  private(set) var observed: CaptureObservation
  /// Records that came before the device was connected.
  private var early: [RawRecord] = []
  private var first: Int64?
  private var connectedAt: MonotonicTime?
  private var count = 0
  /// Where the capture is to be written, for a device.
  private let choosePath: (InspectReply) -> String?

  private static let defaultSeconds = 30.0
  /// The daemon's limit for finding the device and connecting to it.
  private static let connectTime = Duration.seconds(45)
  private static let grace = Duration.seconds(10)

  init(
    of address: String, _ session: Session, choosePath: @escaping (InspectReply) -> String?
  ) throws(Failure) {
    self.session = session
    self.address = address.uppercased()
    self.choosePath = choosePath
    seconds = session.invocation.number(.seconds) ?? Self.defaultSeconds
    guard seconds > 0, seconds <= InspectParameters.longest else {
      let range = "a number above 0, at most \(Quantity.short(InspectParameters.longest))"
      throw Failure(usage: .plugin, "--seconds is \(range) for 'new', not \(Quantity.short(seconds))")
    }
    observed = CaptureObservation(session.plugins)
    connection = try session.connect(for: .control)
    status = try session.ask(connection, .status).content
  }

  /// Returns how it ended, once it has.
  mutating func run() throws(Failure) -> Ending {
    let interruptions: SignalDescriptor
    do throws(SystemError) {
      interruptions = try SignalDescriptor([.interrupt])
    } catch {
      throw Failure(.failed, error.description)
    }
    let query = Query.inspect(InspectParameters(address: address, seconds: seconds))
    request = try kept { () throws(ClientError) in try connection.send(query) }
    let ending = try run(interruptions)
    session.output.eraseProgress()
    return ending
  }

  private mutating func run(_ interruptions: borrowing SignalDescriptor) throws(Failure) -> Ending {
    while true {
      if let ending = try takeWhatCame() { return ending }
      showProgress()
      let limit = limit
      let nextLook = session.output.showsProgress ? min(limit, .now + .seconds(1)) : limit
      _ = try kept { () throws(ClientError) in
        try connection.wait(or: interruptions.descriptor.number, until: nextLook)
      }
      if case .interrupt? = try? interruptions.next() { return try interrupted() }
      if MonotonicTime.now >= limit { try kept { () throws(ClientError) in throw ClientError.timeout } }
    }
  }

  /// The daemon ends it. In case it does not, a little later.
  private var limit: MonotonicTime {
    connectedAt.map { $0 + .seconds(seconds) + Self.grace } ?? begin + Self.connectTime + Self.grace
  }

  enum Ending: Equatable {
    case whole
    case interrupted
    /// The device is gone.
    case left(String)
  }

  /// Includes what was in progress at the end.
  private mutating func interrupted() throws(Failure) -> Ending {
    _ = try kept { () throws(ClientError) in try connection.request(.cancel) }
    if device != nil { _ = try takeWhatCame() }
    return .interrupted
  }
}

// MARK: Records

extension PluginInspection {
  private mutating func takeWhatCame() throws(Failure) -> Ending? {
    var ending: Ending?
    while ending == nil, let record = try kept({ () throws(ClientError) in try connection.next(until: .now) }) {
      switch record.message {
      case .reply(let id, let result) where id.number == request?.number:
        guard let request else { break }
        try connected(try explained { () throws(ClientError) in try request.reply(result).content })
      case .error(let error) where error.id == nil || error.id?.number == request?.number:
        throw failure(record.refusal)
      case .raw(let raw): try add(raw)
      case .inspectEnded(let end): ending = end.reason.map { .left($0.text) } ?? .whole
      default: break
      }
    }
    try file?.write()
    return ending
  }

  private mutating func connected(_ device: InspectReply) throws(Failure) {
    self.device = device
    connectedAt = .now
    observed.introduce(device)
    path = choosePath(device)
    if let path {
      let file = try CaptureFile(path: path, session)
      self.file = file
      let introduction = CaptureDevice(
        id: device.id, address: device.address, name: device.name.map(printable), services: device.allServices)
      file.add([.header, .comment(" Recorded by \(programs(status))."), .device(introduction)])
    }
    let early = early
    self.early = []
    for raw in early { try add(raw) }
  }

  private mutating func add(_ raw: RawRecord) throws(Failure) {
    guard let device else { return early.append(raw) }
    let start = first ?? raw.time.nanoseconds
    first = start
    let time = MonotonicTime(nanoseconds: max(0, raw.time.nanoseconds - start))
    let line = CaptureLine.event(time: time, device: device.id, raw.event)
    file?.add([line])
    observed.add(line)
    count += 1
  }

  private func showProgress() {
    guard let device, let connectedAt else {
      let seconds = Int((MonotonicTime.now - begin).inSeconds)
      return session.output.progress("Looking for \(address), \(seconds) s")
    }
    let left = max(0, Int((seconds - (MonotonicTime.now - connectedAt).inSeconds).rounded(.up)))
    let name = printable(device.name ?? device.address)
    session.output.progress("Recording \(name), \(left) s left: \(counted(count, "packet")); Ctrl-C ends it")
  }
}

// MARK: Failures

extension PluginInspection {
  /// On any failure, adds that the capture contains the data up to that point.
  private func kept<Result>(_ body: () throws(ClientError) -> Result) throws(Failure) -> Result {
    do throws(ClientError) {
      return try body()
    } catch {
      let failure = Failure(error)
      guard let file, let path else { throw failure }
      try file.write()
      let advice = [
        "\(file.name) contains the data up to this point",
        "To use it: cyclo plugin new --from-capture \(shellQuoted(path))",
      ]
      throw Failure(failure.status, failure.message, advice: advice + failure.advice)
    }
  }

  private func failure(_ error: ClientError) -> Failure {
    let plain = Failure(error)
    switch plain.status {
    case .timeout:
      return Failure(
        .timeout, plain.message,
        advice: [
          "Is it awake and near? 'cyclo scan --all' shows the devices that advertise",
          "Is it free? A sensor connected to a phone or a watch cannot be found",
        ])
    case .pairingFailed:
      return Failure(
        .pairingFailed, plain.message,
        advice: [
          "Disconnect the device from others, wake it, and try again",
          "A device that only advertises cannot be connected",
        ])
    default: return plain
    }
  }
}

extension InspectReply {
  /// The services that it advertises, and those that it showed when it was connected.
  fileprivate var allServices: [BluetoothUUID] {
    let names = services + characteristics.map(\.service)
    return names.compactMap { BluetoothUUID($0) }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

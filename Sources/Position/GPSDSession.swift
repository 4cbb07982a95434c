// One connection to gpsd, from the socket to its loss.

internal import EventLoop
import JSON
internal import Linux
internal import Metrics
internal import PositionReports
import Time

final class GPSDSession {
  /// Called with gpsd's version.
  var greeted: (String?) -> Void = { _ in }
  var receiversChanged: (Int) -> Void = { _ in }
  var fix: (Fix) -> Void = { _ in }
  var report: (Span<UInt8>) -> Void = { _ in }
  /// Called once, and not after `close`.
  var lost: (GPSDClient.Problem) -> Void = { _ in }
  private var rate: GPSDClient.Rate

  private let loop: EventLoop
  private let socket: FileDescriptor
  private var watch: Watch?
  private var farewell: Deadline?
  private var buffer = [UInt8](repeating: 0, count: 4_096)
  private var splitter = LineSplitter(limit: GPSDSession.longestLine)
  private var isGreeted = false
  private var devices: [GPSDDevice] = []
  private var reader = FixReader()
  private var lastFix = MonotonicTime(nanoseconds: 0)

  /// gpsd's own limit was 10,240 bytes for a long time and is somewhat larger now.
  static let longestLine = 32_768
  private static let readsPerTurn = 16
  static let slowCycle = 5.0

  func want(_ rate: GPSDClient.Rate) {
    guard rate != self.rate else { return }
    self.rate = rate
    for device in devices { setCycle(of: device) }
  }

  init(loop: EventLoop, socket: consuming FileDescriptor, rate: GPSDClient.Rate) throws(SystemError) {
    self.loop = loop
    self.rate = rate
    let number = socket.number
    self.socket = socket
    watch = try loop.watch(number, for: .readable) { [weak self] _ in self?.read() }
  }

  deinit {
    close()
  }

  func close() {
    watch?.cancel()
    watch = nil
    farewell?.cancel()
  }

  /// Reported from the loop, because a change of the rate can cause it.
  private func lose(_ reason: GPSDClient.Problem) {
    guard watch != nil else { return }
    close()
    farewell = loop.schedule(after: .zero) { [weak self] in self?.lost(reason) }
  }

  private func read() {
    for _ in 0..<Self.readsPerTurn {
      do throws(SystemError) {
        guard case .done(let count) = try socket.read(into: &buffer) else { return }
        guard count > 0 else { return lose(.ended) }
        guard take(buffer.span.extracting(..<count)) else { return }
        if count < buffer.count { return }
      } catch {
        return lose(.system(error))
      }
    }
  }

  /// Returns false when the connection has ended.
  func take(_ bytes: Span<UInt8>) -> Bool {
    let outcome = splitter.feed(bytes) { line in
      handle(line)
      return watch != nil
    }
    if outcome == .lineTooLong { lose(.longLine) }
    return watch != nil
  }
}

// MARK: Reports

extension GPSDSession {
  private func handle(_ line: Span<UInt8>) {
    guard let kind = GPSDClass(line), isWanted(kind), let content = try? JSONValue.parse(line) else { return }
    switch kind {
    case .version: greet(content["release"]?.text)
    case .devices:
      devices = content["devices"]?.items?.compactMap(GPSDDevice.init) ?? []
      for device in devices { setCycle(of: device) }
      receiversChanged(receivers)
    case .device:
      guard let device = GPSDDevice(content) else { return }
      report(line)
      note(device)
    case .sky:
      report(line)
      reader.take(sky: content, at: now)
    case .position:
      report(line)
      guard let next = reader.take(position: content, at: now) else { return }
      lastFix = loop.now
      fix(next)
    }
  }

  private var now: MonotonicTime { loop.now }

  private func isWanted(_ kind: GPSDClass) -> Bool {
    switch kind {
    case .version: !isGreeted
    case .device, .devices: true
    case .sky: reader.wantsSky(at: now)
    // Slightly early; otherwise a fix that arrives a bit too soon would be skipped.
    case .position: rate == .full || loop.now - lastFix >= .seconds(Self.slowCycle - 0.5)
    }
  }

  private func greet(_ release: String?) {
    isGreeted = true
    send(#"?WATCH={"enable":true,"json":true}"#)
    if watch != nil { greeted(release.flatMap { $0.utf8.count <= 32 ? $0 : nil }) }
  }

  private var receivers: Int { devices.count(where: \.isActive) }

  private func note(_ device: GPSDDevice) {
    let before = devices.first { $0.path == device.path }
    devices.removeAll { $0.path == device.path }
    // More than gpsd itself supports.
    if device.isActive, devices.count < 16 { devices.append(device) }
    if !device.isActive { reader.forget(device.path) }
    if before?.shortestCycle != device.shortestCycle { setCycle(of: device) }
    receiversChanged(receivers)
  }
}

// MARK: Requests

extension GPSDSession {
  /// Receivers only report a shortest cycle if their cycle can be changed.
  private func setCycle(of device: GPSDDevice) {
    guard isGreeted, device.isActive, let shortest = device.shortestCycle else { return }
    let cycle = rate == .full ? max(1, shortest) : Self.slowCycle
    let path = JSONValue.string(device.path).encoded
    send(#"?DEVICE={"path":\#(path),"cycle":\#(cycle)}"#)
  }

  private func send(_ request: String) {
    guard watch != nil else { return }
    let bytes = Array((request + "\n").utf8)
    do throws(SystemError) {
      // gpsd reads requests at once, so a socket without space for a line is stuck.
      guard try StreamSocket.send(socket.number, bytes.span) == .done(bytes.count) else { return lose(.stuck) }
    } catch {
      lose(.system(error))
    }
  }
}

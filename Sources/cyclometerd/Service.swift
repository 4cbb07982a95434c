// Runs the daemon from its configuration to its exit status.

import CaptureFormat
import CommandTable
import DBus
import DaemonCore
import EventLoop
import Linux
import Release
import Simulation
import Text

struct Service {
  private let invocation: Invocation
  private let journal = Journal(of: "cyclometerd")

  /// Exit status 1 for a failure, 78 (EX_CONFIG) for a bad configuration.
  private enum Ending: Error {
    case failed(String)
    case badConfiguration(String)
  }

  init(_ invocation: Invocation) {
    self.invocation = invocation
  }

  func run() -> Int32 {
    do throws(Ending) {
      try serve()
      return 0
    } catch {
      switch error {
      case .failed(let message):
        say(message)
        return 1
      case .badConfiguration(let message):
        say(message)
        return 78
      }
    }
  }

  /// A warning or error at startup.
  private func say(_ message: String, _ level: LogLevel = .error) {
    let message = message.printable
    if let journal, journal.write(message, priority: level.rawValue, []) { return }
    writeDiagnostics("cyclometerd: \(message)\n")
  }

  private func serve() throws(Ending) {
    // Before starting any child, which would inherit the variables.
    let manager = ServiceManager.waiting()
    let configuration = try loadConfiguration()
    let log = Log(level: configuration.logLevel, journal: journal, limiter: LogLimiter { .now })
    let loop = try system { () throws(SystemError) in try EventLoop() }
    let signals = try system { () throws(SystemError) in
      SignalBox(try SignalDescriptor([.terminate, .interrupt, .hangUp]))
    }
    let daemon = try makeDaemon(configuration, loop, log)
    let supervision = manager.map { Supervision(of: daemon, by: $0, on: loop) }
    let watch = try system { () throws(SystemError) in
      try loop.watch(signals.number, for: .readable) { _ in
        while let signal = signals.next() {
          guard signal == .hangUp else { return loop.stop() }
          if let supervision { supervision.reload { reload(daemon, log) } } else { reload(daemon, log) }
        }
      }
    }
    loop.schedule(after: Self.startTime) { StartupCode.release() }
    try system { () throws(SystemError) in try loop.run() }
    supervision?.end()
    daemon.stop()
    watch.cancel()
    loop.discardPending()
  }

  /// If the new configuration has an error, it is logged and the old one stays.
  private func reload(_ daemon: Daemon, _ log: Log) {
    do throws(ConfigurationError) {
      daemon.apply(try Configuration.load(configurationPath))
      log.info("\(configurationPath) reloaded")
    } catch {
      log.error("\(error): the old settings stay in effect")
    }
  }

  private func system<Value>(_ body: () throws(SystemError) -> Value) throws(Ending) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .failed("\(error)")
    }
  }
}

extension Service {
  /// By now the work of the start is done: relocation, queries to bluetoothd, connects to nearby
  /// sensors.
  private static let startTime = Duration.seconds(2)
  private static let defaultConfiguration = "/etc/cyclometer/cyclometer.conf"
  private static let defaultRuntimeDirectory = "/run/cyclometer"
  private static let defaultStateDirectory = "/var/lib/cyclometer"

  private var configurationPath: String { invocation.text(.config) ?? Self.defaultConfiguration }

  private func loadConfiguration() throws(Ending) -> Configuration {
    do throws(ConfigurationError) {
      let path = invocation.text(.config)
      if let path, !Files.exists(path) {
        say("\(path) does not exist: using the defaults", .warning)
      }
      return try Configuration.load(configurationPath)
    } catch {
      throw .badConfiguration("\(error)")
    }
  }

  private func makeDaemon(_ configuration: Configuration, _ loop: EventLoop, _ log: Log) throws(Ending) -> Daemon {
    let directories = Daemon.Directories(
      runtime: invocation.text(.runtimeDirectory) ?? Self.defaultRuntimeDirectory,
      state: invocation.text(.stateDirectory) ?? Self.defaultStateDirectory)
    let simulation = invocation.has(.simulate) ? SimulatedRadio(try scene(), loop: loop) : nil
    do throws(Daemon.StartError) {
      let daemon = try Daemon(
        loop: loop, radio: simulation ?? makeBluetooth(configuration, loop, log), configuration: configuration,
        directories: directories, log: log, release: release, isSimulated: simulation != nil)
      if let simulation { try daemon.adopt(simulation.pairedSensors, of: simulation.addresses) }
      try daemon.start()
      return daemon
    } catch {
      throw .failed("\(error)")
    }
  }

  private func makeBluetooth(_ configuration: Configuration, _ loop: EventLoop, _ log: Log) -> any Radio {
    BlueZRadio(
      loop: loop, bus: Bus(loop: loop, address: .system), log: log, powersOn: configuration.powerOn,
      adapterAddress: configuration.adapter, rfkill: BlueZRadio.RFKill())
  }

  /// A scene by name, or a capture by path.
  private func scene() throws(Ending) -> any Scene {
    guard let name = invocation.text(.simulate), name != "ride" else { return RideScene() }
    if name == "bike" { return BikeScene() }
    guard Files.exists(name) else {
      throw .failed("\(name) is neither a scene (`ride`, `bike`) nor a capture file")
    }
    let content = try system { () throws(SystemError) in try Files.read(name, atMost: 256 << 20) }
    do throws(CaptureError) {
      return try CaptureScene(content)
    } catch {
      throw .failed("\(name): \(error)")
    }
  }
}

/// Keeps the signal descriptor alive for the handler that reads it.
private final class SignalBox {
  private let descriptor: SignalDescriptor
  let number: Int32

  init(_ descriptor: consuming SignalDescriptor) {
    number = descriptor.descriptor.number
    self.descriptor = descriptor
  }

  func next() -> Signal? {
    try? descriptor.next()
  }
}

// Runs a service from its configuration to its exit status: the log, the signals, the service
// manager. SIGTERM and SIGINT end it, SIGHUP reads the configuration again.

public import EventLoop
public import Linux
import Text

/// What a program runs until it is told to stop.
public protocol Service: AnyObject {
  associatedtype Settings: Configuration

  /// One line for people, which `systemctl status` shows.
  var statusLine: String { get }
  /// Called when the status line may have changed. The runner sets it.
  var statusChanged: () -> Void { get set }
  /// Calls back only if the service answers; a watchdog restarts it otherwise.
  func prove(_ done: @escaping (_ isAlive: Bool) -> Void)
  /// Reads other files of the administrator again, also if the configuration has an error.
  func readFiles()
  /// The configuration was read again.
  func apply(_ settings: Settings)
  func stop()
}

extension Service {
  public func readFiles() {}

  public func prove(_ done: @escaping (_ isAlive: Bool) -> Void) { done(true) }
}

/// Why a service does not start, for the user.
public struct StartError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  public init(_ error: SystemError) {
    description = "\(error)"
  }
}

public struct ServiceRunner {
  private let name: String
  private let configurationPath: String
  private let isConfigurationNamed: Bool
  private let journal: Journal?

  /// By now the work of the start is done: relocation, connections, first answers.
  private static let startTime = Duration.seconds(2)
  /// EX_CONFIG, at which systemd does not restart the service.
  private static let badConfiguration: Int32 = 78

  /// `configuration` is the path that the user gave, if any.
  public init(_ name: String, configuration: String?, default path: String) {
    self.name = name
    configurationPath = configuration ?? path
    isConfigurationNamed = configuration != nil
    journal = Journal(of: name)
  }

  /// Returns the exit status: 0, 1 for a failure, or 78 for a bad configuration.
  public func run<Program: Service>(
    _ start: (Program.Settings, EventLoop, Log) throws(StartError) -> Program
  ) -> Int32 {
    // Before starting any child, which would inherit the variables.
    let manager = ServiceManager.waiting()
    if isConfigurationNamed, !Files.exists(configurationPath) {
      say("\(configurationPath) does not exist: using the defaults", .warning)
    }
    let settings: Program.Settings
    do throws(ConfigurationError) {
      settings = try Program.Settings.load(configurationPath)
    } catch {
      say("\(error)")
      return Self.badConfiguration
    }
    do throws(StartError) {
      try serve(settings, manager, start)
      return 0
    } catch {
      say("\(error)")
      return 1
    }
  }

  private func serve<Program: Service>(
    _ settings: Program.Settings, _ manager: ServiceManager?,
    _ start: (Program.Settings, EventLoop, Log) throws(StartError) -> Program
  ) throws(StartError) {
    let log = Log(level: settings.logLevel, journal: journal, limiter: LogLimiter { .now })
    let loop = try system { () throws(SystemError) in try EventLoop() }
    let signals = try system { () throws(SystemError) in
      SignalBox(try SignalDescriptor([.terminate, .interrupt, .hangUp]))
    }
    let program = try start(settings, loop, log)
    let supervision = manager.map { Supervision(of: program, by: $0, on: loop) }
    let watch = try system { () throws(SystemError) in
      try loop.watch(signals.number, for: .readable) { _ in
        while let signal = signals.next() {
          guard signal == .hangUp else { return loop.stop() }
          if let supervision { supervision.reload { reload(program, log) } } else { reload(program, log) }
        }
      }
    }
    loop.schedule(after: Self.startTime) { StartupCode.release() }
    try system { () throws(SystemError) in try loop.run() }
    supervision?.end()
    program.stop()
    watch.cancel()
    loop.discardPending()
  }

  /// If the new configuration has an error, it is logged and the old one stays.
  private func reload<Program: Service>(_ program: Program, _ log: Log) {
    program.readFiles()
    do throws(ConfigurationError) {
      program.apply(try Program.Settings.load(configurationPath))
      log.info("\(configurationPath) reloaded")
    } catch {
      log.error("\(error): the old settings stay in effect")
    }
  }

  private func system<Value>(_ body: () throws(SystemError) -> Value) throws(StartError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw StartError(error)
    }
  }

  /// A warning or error before there is a log.
  private func say(_ message: String, _ level: LogLevel = .error) {
    let message = message.printable
    if let journal, journal.write(message, priority: level.rawValue, []) { return }
    writeDiagnostics("\(name): \(message)\n")
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

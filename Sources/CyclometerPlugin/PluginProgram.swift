// A plugin program: connects to the daemon, and has a session decode for each sensor.

import JSON
import Linux
import Time

public struct PluginProgram<Session: PluginSession> {
  private let id: String
  private let path: String

  /// How long the daemon may take to accept the program.
  private static var timeToAccept: Duration { .seconds(10) }

  /// `id` is that of the file. `socket` is the daemon's; by default it is the one that
  /// `CYCLOMETER_PLUGIN_SOCKET` names, or that of an installed daemon.
  public init(id: String, socket: String? = nil, _: Session.Type = Session.self) {
    self.id = id
    let named = socket ?? ProcessEnvironment.variable("CYCLOMETER_PLUGIN_SOCKET") ?? ""
    path = named.isEmpty ? "/run/cyclometer/plugin.sock" : named
  }

  /// Decodes until the daemon disconnects the program. Then prints the reason, and exits with status
  /// 1. systemd starts the program again.
  public func run() -> Never {
    let reason = disconnection()
    writeDiagnostics("\(id): \(reason)\n")
    ProcessEnvironment.exit(1)
  }

  private func disconnection() -> PluginDisconnection {
    let socket: FileDescriptor
    do throws(SystemError) {
      socket = try UnixSocket.connect(to: path, nonBlocking: true)
    } catch {
      return PluginDisconnection("cannot connect to \(path): \(error.reason)")
    }
    do throws(PluginDisconnection) {
      try converse(over: socket.number)
      return PluginDisconnection("the daemon closed the connection")
    } catch {
      return error
    }
  }

  /// Returns when the daemon closes the connection.
  private func converse(over socket: Int32) throws(PluginDisconnection) {
    var conversation = PluginConversation<Session>(id: id)
    var splitter = LineSplitter()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let deadline = MonotonicTime.now + Self.timeToAccept
    while true {
      let count = try receive(from: socket, into: &buffer, before: conversation.isReady ? nil : deadline)
      if count == 0 { return }
      var failure: PluginDisconnection?
      let outcome = splitter.feed(buffer.span.extracting(..<count)) { line in
        do throws(PluginDisconnection) {
          try conversation.receive(line)
          return true
        } catch {
          failure = error
          return false
        }
      }
      try send(conversation.output, over: socket)
      conversation.removeOutput()
      if let failure { throw failure }
      if outcome == .lineTooLong { throw PluginDisconnection("the daemon sent a line that is too long") }
    }
  }

  private func receive(
    from socket: Int32, into buffer: inout [UInt8], before deadline: MonotonicTime?
  ) throws(PluginDisconnection) -> Int {
    do throws(SystemError) {
      while try Waiting.untilReadable(socket, deadline: deadline) {
        if case .done(let count) = try readDescriptor(socket, into: &buffer) { return count }
      }
    } catch {
      throw PluginDisconnection("the connection to the daemon was lost: \(error.reason)")
    }
    throw PluginDisconnection("the daemon did not answer in time")
  }

  private func send(_ bytes: [UInt8], over socket: Int32) throws(PluginDisconnection) {
    var sent = 0
    do throws(SystemError) {
      while sent < bytes.count {
        if case .done(let count) = try StreamSocket.send(socket, bytes.span.extracting(sent...)) {
          sent += count
        } else {
          _ = try Waiting.untilWritable(socket)
        }
      }
    } catch {
      // Reading returns the daemon's reason.
      if error.isPeerGone { return }
      throw PluginDisconnection("cannot send to the daemon: \(error.reason)")
    }
  }
}

// A scripted gpsd, which listens on a Unix socket.

internal import Linux

/// A gpsd with one connection.
public final class PlayedGPSD {
  public let path: String
  private let folder: TemporaryFolder
  private var listener: FileDescriptorBox?
  private var connection: FileDescriptorBox?
  public private(set) var received = ""

  public static let greeting =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"

  public init() throws {
    folder = try TemporaryFolder()
    path = folder.file("gpsd")
  }

  public func listen() throws { listener = FileDescriptorBox(try UnixSocket.listen(at: path, mode: 0o600)) }

  public func stop() {
    (listener, connection) = (nil, nil)
    try? Files.remove(path)
  }

  public func hangUp() { connection = nil }

  /// Whether a client has connected.
  public func accept() throws -> Bool {
    guard let listener, let next = try StreamSocket.accept(from: listener.number) else { return false }
    connection = FileDescriptorBox(next)
    return true
  }

  public func say(_ text: String) throws { try say(Array(text.utf8)) }

  public func say(_ bytes: [UInt8]) throws {
    guard let connection else { return }
    _ = try StreamSocket.send(connection.number, bytes.span)
  }

  public func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while let connection, case .done(let count) = try readDescriptor(connection.number, into: &buffer), count > 0 {
      received += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}

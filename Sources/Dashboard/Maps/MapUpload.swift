// A file of map tiles that comes over web.sock in pieces. It is checked when it is complete. The
// device is not waited for: after a power cut, a file that is not whole is left out.

import EventLoop
import Linux
import LogbookWire
import Serving
import Wire

final class MapUpload: ClientOperation {
  /// The largest file.
  static let mostBytes = 2 << 30
  private static let timeout = Duration.seconds(60)

  let name: String
  private let bytes: Int
  private let folder: MapFolder
  private let loop: EventLoop
  private weak var client: Client?
  private var file: FileDescriptorBox?
  private var count = 0
  private var stall: Deadline?

  init(_ name: String, bytes: Int, to folder: MapFolder, from client: Client, loop: EventLoop) throws(Refusal) {
    file = try folder.beginUpload(name, bytes: bytes)
    (self.name, self.bytes, self.folder, self.client, self.loop) = (name, bytes, folder, client, loop)
    client.begin(self)
    waitForPiece()
  }

  var isFrom: Client? { file == nil ? nil : client }

  private func waitForPiece() {
    stall?.cancel()
    stall = loop.schedule(after: Self.timeout) { [weak self] in self?.timeOut() }
  }

  private func timeOut() {
    let client = client
    end()
    client?.send(ErrorRecord(id: nil, .timeout, "the upload timed out after 60 seconds"))
  }

  /// Returns how many bytes have come.
  func append(_ piece: Piece, at offset: Int) throws(Refusal) -> Int {
    guard let file else { throw Refusal(.badRequest, "no map is being added") }
    guard offset == count else { throw Refusal(.badRequest, "offset has to be \(count)") }
    guard count + piece.bytes.count <= bytes else {
      throw Refusal(.badRequest, "the file has \(bytes) bytes, as map_add said")
    }
    do throws(SystemError) {
      var written = 0
      while written < piece.bytes.count {
        guard case .done(let some) = try writeDescriptor(file.number, piece.bytes.span.extracting(written...)) else {
          continue
        }
        written += some
      }
    } catch {
      end()
      throw Refusal(.storage, "the storage failed: \(error.reason)")
    }
    count += piece.bytes.count
    waitForPiece()
    return count
  }

  var isComplete: Bool { count == bytes }

  /// Whatever comes of it, the upload has ended.
  func finish() throws(Refusal) -> DashboardMap {
    file = nil
    defer { end() }
    return try folder.addUpload(as: name)
  }

  func cancel() { end() }

  func end() {
    stall?.cancel()
    stall = nil
    file = nil
    folder.endUpload()
    client?.endOperation()
    client = nil
  }
}

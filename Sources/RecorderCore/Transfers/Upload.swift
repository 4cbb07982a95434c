// A transfer from a client: pieces come in, the file lies in the spool, and then it is imported.

import EventLoop
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import Serving
import Wire

final class Upload: ClientOperation {
  /// Makes the import of a file at a path.
  typealias Make = (_ path: String, _ request: ImportRequest) throws(Refusal) -> ImportWork

  private enum Stage {
    case receiving
    /// The last piece has no reply yet.
    case importing(Asker)
    case ended
  }

  let number: Int
  private let request: ImportRequest
  private weak var client: Client?
  private let table: TransferTable
  private let queue: WorkQueue
  private let lane: WorkLane
  private let spool: SpoolFolder
  private let loop: EventLoop
  private let path: String
  private let make: Make
  private let imported: (PutReply) -> Void
  private var file: FileDescriptorBox?
  private var work: ImportWork?
  private var stage = Stage.receiving
  private var count = 0
  private var stall: Deadline?

  /// How every SQLite database begins.
  private static let databaseStart = Array("SQLite format 3\0".utf8)

  init(
    _ request: ImportRequest, from client: Client, _ table: TransferTable, _ queue: WorkQueue, _ spool: SpoolFolder,
    loop: EventLoop, make: @escaping Make, imported: @escaping (PutReply) -> Void
  ) throws(Refusal) {
    try spool.requireRoom(for: request.bytes)
    (self.request, self.client, self.table, self.queue) = (request, client, table, queue)
    (self.spool, self.loop, self.make, self.imported) = (spool, loop, make, imported)
    lane = .of(client)
    path = spool.newPath()
    do throws(SystemError) {
      file = FileDescriptorBox(try Files.create(path, mode: 0o600))
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
    do throws(Refusal) {
      number = try table.open(for: client)
    } catch {
      spool.remove(path)
      throw error
    }
    client.begin(self)
    waitForPiece()
  }

  private func waitForPiece() {
    stall = loop.schedule(after: TransferTable.timeout) { [weak self] in self?.timeOut() }
  }

  private func timeOut() {
    let client = client
    end()
    client?.send(ErrorRecord(id: nil, .timeout, "the upload timed out after 60 seconds"))
  }

  func put(_ piece: PutRequest, _ asker: Asker) throws(Refusal) -> Answer {
    guard case .receiving = stage, let file else { throw Refusal(.busy, "the file is being imported") }
    try check(piece)
    do throws(SystemError) {
      try write(piece.piece.bytes, to: file.number)
    } catch {
      end()
      throw Refusal(.storage, "the storage failed: \(error.reason)")
    }
    stall?.cancel()
    guard piece.end else {
      waitForPiece()
      return .reply(PutReply(bytes: count))
    }
    self.file = nil
    startImport(asker)
    return .later
  }

  private func check(_ piece: PutRequest) throws(Refusal) {
    guard piece.offset == count else {
      throw Refusal(.badRequest, "offset has to be \(count)")
    }
    let end = count + piece.piece.bytes.count
    guard end <= request.bytes, !piece.end || end == request.bytes else {
      throw Refusal(.badRequest, "the file has \(request.bytes) bytes, as import said")
    }
    let isBackup = piece.piece.bytes.starts(with: Self.databaseStart)
    if count == 0, request.bytes > RequestLimits.upload, !isBackup {
      self.end()
      throw Refusal(reached: .upload, "a file has at most \(RequestLimits.upload >> 20) MiB")
    }
    try spool.requireRoom(for: piece.piece.bytes.count)
  }

  private func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      guard case .done(let some) = try writeDescriptor(file, bytes.span.extracting(written...)) else { continue }
      written += some
    }
    count += bytes.count
  }

  private func startImport(_ asker: Asker) {
    stage = .importing(asker)
    client?.expectReply()
    let begin: WorkChain.Link = { [weak self] () throws(Refusal) in
      guard let self, case .importing = stage else { return nil }
      work = try make(path, request)
      return work
    }
    // Keeps this object: after a cancel, the import removes what it added.
    queue.add(WorkChain([begin]), in: lane) { self.finished($0) }
  }

  private func finished(_ refusal: Refusal?) {
    let work = work
    self.work = nil
    spool.remove(path)
    guard case .importing(let asker) = stage else { return }
    end()
    if let refusal {
      asker.refuse(refusal)
    } else if let work {
      var reply = work.reply
      reply.bytes = count
      reply.added = reply.added ?? []
      asker.answer(reply.fitting)
      imported(reply)
    }
    client?.didReply()
  }

  func cancel() {
    if case .importing(let asker) = stage {
      asker.refuse(Refusal(.cancelled, "the import was cancelled"))
      client?.didReply()
    }
    end()
  }

  func end() {
    if case .ended = stage { return }
    stage = .ended
    stall?.cancel()
    file = nil
    // An import under way still reads the file.
    if let work { work.cancel() } else { spool.remove(path) }
    table.close(number)
    client?.endOperation()
  }
}

extension PutReply {
  /// With fewer warnings if it does not fit into a line.
  fileprivate var fitting: Answer {
    let whole = self
    var brief = self
    brief.warnings = Array(warnings.prefix(20)).map { String($0.prefix(500)) }
    let short = brief
    return .fitting({ whole.write(into: &$0) }, brief: { short.write(into: &$0) })
  }
}

// A transfer to a client: the reply, and then one piece after another.

import EventLoop
import JSON
import Logbook
import LogbookWire
import Serving
import Wire

final class Download: ClientOperation {
  typealias Make = () throws(Refusal) -> any TransferSource

  private enum Stage {
    /// The request has no reply yet.
    case preparing(Asker)
    case sending
    case ended
  }

  private let number: Int
  private weak var client: Client?
  private let table: TransferTable
  private let queue: WorkQueue
  private let lane: WorkLane
  private let loop: EventLoop
  private var stage: Stage
  private var source: (any TransferSource)?
  /// Bytes that do not fill a piece yet.
  private var buffer: [UInt8] = []
  private var offset = 0
  /// Whether the next piece is being made.
  private var isWorking = false
  private var stall: Deadline?

  /// `make` is called in a slice of the queue.
  init(
    to client: Client, _ asker: Asker, _ table: TransferTable, _ queue: WorkQueue, loop: EventLoop,
    make: @escaping Make
  ) throws(Refusal) {
    number = try table.open(for: client)
    (self.client, self.table, self.queue, self.loop) = (client, table, queue, loop)
    lane = .of(client)
    stage = .preparing(asker)
    client.begin(self)
    client.expectReply()
    prepare(make)
  }

  private func prepare(_ make: @escaping Make) {
    let making = SingleStep { [weak self] () throws(Refusal) in
      if let self, case .preparing = stage { source = try make() }
    }
    let preparation = WorkChain([{ making }, { [weak self] in self?.source }])
    queue.add(preparation, in: lane) { [weak self] in self?.prepared($0) }
  }

  private func prepared(_ refusal: Refusal?) {
    guard case .preparing(let asker) = stage else { return }
    if let refusal {
      end()
      asker.refuse(refusal)
    } else {
      stage = .sending
      asker.answer(.reply(TransferReply(transfer: number, name: source?.name, leftOut: source?.leftOut ?? [])))
    }
    client?.didReply()
  }

  /// The client has read everything, so the next piece is made.
  func didDrain() {
    guard case .sending = stage, !isWorking, let source else { return }
    isWorking = true
    stall?.cancel()
    let piece = PieceWork(source, after: buffer)
    queue.add(piece, in: lane) { [weak self] in self?.made(piece, $0) }
  }

  private func made(_ piece: PieceWork, _ refusal: Refusal?) {
    isWorking = false
    guard case .sending = stage, let client else { return }
    if let refusal { return fail(refusal) }
    let (bytes, rest) = piece.split()
    buffer = rest
    var writer = JSONWriter()
    writer.line(DataRecord(transfer: number, offset: offset, bytes, isLast: piece.isLast))
    offset += bytes.count
    if piece.isLast { end() }
    // Limited by this transfer, which waits until it was read.
    client.sendUncharged(line: writer.bytes)
    if !piece.isLast { stall = loop.schedule(after: TransferTable.timeout) { [weak self] in self?.timeOut() } }
  }

  private func timeOut() { fail(Refusal(.timeout, "the transfer was dropped: nothing was read for 60 seconds")) }

  private func fail(_ refusal: Refusal) {
    let client = client
    end()
    client?.send(ErrorRecord(id: nil, refusal))
  }

  func cancel() {
    if case .preparing(let asker) = stage {
      asker.refuse(Refusal(.cancelled, "the transfer was cancelled"))
      client?.didReply()
    }
    end()
  }

  func end() {
    if case .ended = stage { return }
    stage = .ended
    stall?.cancel()
    source?.close()
    source = nil
    buffer = []
    table.close(number)
    client?.endOperation()
  }
}

/// Makes one piece. A source may deliver little at a time.
private final class PieceWork: SlicedWork {
  private let source: any TransferSource
  private var bytes: [UInt8]
  private(set) var isLast = false

  init(_ source: any TransferSource, after bytes: [UInt8]) {
    self.source = source
    self.bytes = bytes
  }

  func step() throws(Refusal) -> Bool {
    guard bytes.count < Piece.mostBytes else { return false }
    if let more = try source.next(atMost: Piece.mostBytes - bytes.count) { bytes += more } else { isLast = true }
    return !isLast && bytes.count < Piece.mostBytes
  }

  /// A piece, and what is left for the next one.
  func split() -> (piece: [UInt8], rest: [UInt8]) {
    guard bytes.count > Piece.mostBytes else { return (bytes, []) }
    isLast = false
    return (Array(bytes[..<Piece.mostBytes]), Array(bytes[Piece.mostBytes...]))
  }
}

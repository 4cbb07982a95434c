// The body of an answer that comes from a transfer of the logbook. The recorder makes the next piece
// when the client has taken the one before.

import HTTPServing

final class LogbookDownload: BodySource {
  private enum State { case going, complete, failed }

  private var piece: [UInt8] = []
  private var state = State.going
  /// Called when there is room for the next piece.
  private let wantsMore: () -> Void

  init(wantsMore: @escaping () -> Void) { self.wantsMore = wantsMore }

  func append(_ bytes: [UInt8], isLast: Bool) {
    piece += bytes
    if isLast { state = .complete }
  }

  func fail() { state = .failed }

  func appendPiece(to bytes: inout [UInt8]) -> BodyProgress {
    bytes += piece
    piece = []
    switch state {
    case .complete: return .end
    case .failed: return .failed
    case .going:
      wantsMore()
      return .later
    }
  }
}

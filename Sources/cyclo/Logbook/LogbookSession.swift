// The connection to the recorder, and which activity the user means.

import CyclometerClient
import JSON
import Linux
import LogbookWire
import Text
import Time
import Wire

struct LogbookSession {
  let session: Session
  private let connection: LogbookConnection

  init(_ session: Session) throws(Failure) {
    self.session = session
    do throws(ClientError) {
      connection = try LogbookConnection(to: session.endpoint.logbookSocket)
    } catch {
      throw Failure(logbook: error)
    }
  }

  var output: Output { session.output }

  func ask<Asked: LogbookRequest>(
    _ request: Asked, within timeout: Duration = .seconds(30)
  ) throws(Failure) -> Received<Asked.Reply> {
    do throws(ClientError) {
      return try connection.request(request, within: timeout)
    } catch {
      throw Failure(logbook: error)
    }
  }

  func receive(_ transfer: TransferReply, _ use: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var count = 0
    while true {
      let piece: DataRecord
      do throws(ClientError) {
        piece = try connection.piece(of: transfer.transfer, after: count)
      } catch {
        throw Failure(logbook: error)
      }
      try use(piece.piece.bytes)
      count += piece.piece.bytes.count
      if piece.isLast { break }
      output.progress("\(transfer.name ?? "Receiving"): \(size(count))")
    }
    output.eraseProgress()
  }

  /// The content of a transfer that is one JSON object.
  func document<Document: WireObject>(_ request: some LogbookRequest, _ type: Document.Type) throws(Failure)
    -> Document?
  {
    guard let transfer = try ask(request).content as? TransferReply else { return nil }
    var bytes: [UInt8] = []
    try receive(transfer) { (piece) throws(Failure) in bytes += piece }
    guard let json = try? JSONValue.parse(bytes) else { return nil }
    return Document(json)
  }

  func upload(_ content: [UInt8], named name: String, as target: ImportTarget?) throws(Failure) -> Received<PutReply> {
    defer { output.eraseProgress() }
    do throws(ClientError) {
      return try connection.upload(content, named: name, as: target) { sent in
        output.progress("\(name): \(size(sent)) of \(size(content.count))")
      }
    } catch {
      throw Failure(logbook: error)
    }
  }

  private func size(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\(bytes / 1000) kB" : "\(Quantity.decimal(Double(bytes) / 1e6, places: 1)) MB"
  }

  // MARK: Ids

  /// An id, `last`, `today`, `yesterday`, or a date.
  func activity(_ word: String) throws(Failure) -> Int {
    if let id = Int(word), id > 0 { return id }
    var request = ListRequest()
    if word == "last" {
      request.limit = 1
      guard let newest = try ask(request).content.activities.first else {
        throw Failure(.failed, "the logbook is empty")
      }
      return newest.id
    }
    guard let day = Day(word) else {
      throw Failure(.usage, "'\(word)' is not an activity", advice: ["Use an id, last, today or a date: 2026-05-03"])
    }
    request.from = WallTime(seconds: max(0, day.start - 86_400))
    request.to = WallTime(seconds: day.start + 2 * 86_400)
    request.limit = RequestLimits.page.upperBound
    let found = try ask(request).content.activities.filter { $0.day == day }
    guard let first = found.first else { throw Failure(.failed, "there is no activity on \(day.text)") }
    guard found.count == 1 else {
      throw Failure(
        .failed, "'\(word)' is ambiguous: use an id",
        advice: found.map { "\($0.id)  \($0.localStart)  \($0.title)" })
    }
    return first.id
  }
}

/// A day on the rider's calendar.
struct Day: Equatable {
  /// Its midnight as if it were UTC.
  let start: Int64

  init(containing localSeconds: Int64) {
    start = localSeconds - (localSeconds % 86_400 + 86_400) % 86_400
  }

  /// That of a start; nil if the date is unknown. Without a zone it is that of UTC, as in the
  /// statistics of the recorder.
  init?(_ start: WallTime?, _ utcOffset: Int?) {
    guard let start else { return nil }
    self.init(containing: start.seconds + Int64(utcOffset ?? 0))
  }

  init?(_ word: String) {
    let now = WallTime.now
    let local = now.seconds + Int64(LocalTime(now).utcOffset)
    switch word {
    case "today": self.init(containing: local)
    case "yesterday": self.init(containing: local - 86_400)
    default:
      guard word.utf8.count == 10, let time = WallTime(word + "T00:00:00Z"), time.seconds >= 0 else { return nil }
      self.init(containing: time.seconds)
      // The 31st of February is not a date.
      guard text == word else { return nil }
    }
  }

  var text: String { String(WallTime(seconds: start).isoText.prefix(10)) }
}

extension ActivityRecord {
  /// Local time of the activity, as seconds of the calendar. Without a zone it is UTC, as in the
  /// statistics of the recorder.
  private var local: Int64? { start.map { $0.seconds + Int64(utcOffsetS ?? 0) } }

  var day: Day? { local.map(Day.init(containing:)) }

  /// `2026-05-03 09:30`
  var localStart: String {
    guard let local else { return "date unknown" }
    return WallTime(seconds: local).minuteText
  }

  var title: String { name ?? sport ?? "activity" }

  /// What is unusual about it, such as `recording, edited`; empty for most.
  var marks: String {
    let marks = (state.known == .complete ? [] : [state.text]) + (isEdited ? ["edited"] : [])
    return marks.joined(separator: ", ")
  }
}

extension WallTime {
  /// `2026-05-03 09:30`. For local time, add the offset first.
  var minuteText: String { String(isoText.prefix(16).map { $0 == "T" ? " " : $0 }) }

  /// The same in local time.
  var localMinuteText: String { WallTime(seconds: seconds + Int64(LocalTime(self).utcOffset)).minuteText }
}

extension Failure {
  init(logbook error: ClientError) {
    switch error {
    case .noDaemon(let path):
      self.init(
        .failed, "no recorder listens at \(path)",
        advice: [
          "Start it: sudo systemctl start cyclometer-recorder", "Install it: sudo apt install cyclometer-recorder",
        ])
    case .timeout: self.init(.timeout, "the recorder did not answer in time")
    case .closed: self.init(.failed, "the recorder closed the connection")
    case .refused("date_unknown", let message):
      self.init(.failed, message, advice: ["Give the date: --start 2026-05-03T09:30"])
    default: self.init(error)
    }
  }
}

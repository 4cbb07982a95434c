// What the recorder has of the ride that is being recorded, for a server that was not there from the
// beginning of the ride.

import CyclometerClient
import CyclometerClientLoop
public import EventLoop
import JSON
import LogbookWire
public import Time
import Wire

/// The ride that is being recorded.
public struct RecordedRide: Equatable, Sendable {
  let activity: Int
  /// When its first second began, on this computer's clock that cannot be set.
  public let start: MonotonicTime

  private static let longestRide = 30.0 * 86_400

  /// From the record `activity`, as it came at this time on both clocks. Nil if it is about something
  /// else, or the recorder does not know when the ride began.
  public init?(_ line: [UInt8], at now: MonotonicTime, calendar: WallTime?) {
    guard let json = try? JSONValue.parse(line), json["class"]?.text == ActivityChangeRecord.className,
      let record = ActivityChangeRecord(json), record.change.known == .recording, let activity = record.activity,
      let began = activity.start, let calendar
    else { return nil }
    self.activity = activity.id
    let passed = min(max(0, calendar.secondsSince1970 - began.secondsSince1970), Self.longestRide)
    start = MonotonicTime(nanoseconds: now.nanoseconds - Int64(passed * 1e9))
  }
}

public final class RideHistory {
  /// A number of a field, at so many seconds after the start of the ride.
  public typealias Point = (field: String, seconds: Double, value: Double)

  /// The recorder works on other requests meanwhile.
  private static let longest = Duration.seconds(30)

  private var link: LogbookLink?
  private var bytes: [UInt8] = []
  private var deadline: Deadline?
  private let done: ([Point]) -> Void

  /// Asks for all fields, because one that the ride does not have would be refused. `done` is called
  /// once, with no points if there is no answer.
  public init(
    of ride: RecordedRide, points: Int, from path: String, in loop: EventLoop,
    done: @escaping ([Point]) -> Void
  ) {
    self.done = done
    let link = LogbookLink(
      to: path, in: loop, onRecord: { [weak self] record in self?.handle(record) },
      onEnd: { [weak self] _ in self?.finish([]) })
    self.link = link
    deadline = loop.schedule(after: Self.longest) { [weak self] in self?.finish([]) }
    var request = SeriesRequest()
    (request.id, request.points) = (ride.activity, points)
    link.send { [request] id, writer in writer.request(id, request) }
  }

  deinit { deadline?.cancel() }

  private func handle(_ record: ReceivedRecord) {
    switch record.recordClass {
    case "error": finish([])
    case DataRecord.className:
      guard let data = DataRecord(record.content), data.offset == bytes.count else { return finish([]) }
      bytes += data.piece.bytes
      if data.isLast { finish(points) }
    default: break
    }
  }

  private var points: [Point] {
    guard let json = try? JSONValue.parse(bytes), let document = SeriesDocument(json) else { return [] }
    var points: [Point] = []
    for piece in document.pieces {
      for values in piece.fields {
        for (place, mean) in values.means.enumerated() {
          guard let value = mean.value else { continue }
          points.append((values.field, piece.startS + (Double(place) + 0.5) * document.stepS, value))
        }
      }
    }
    return points
  }

  private func finish(_ points: [Point]) {
    guard let link else { return }
    link.close()
    self.link = nil
    deadline?.cancel()
    done(points)
  }
}

// What a sample of `ride/ride` says about the ride itself. It is read from the places of its members
// without allocation, once a second.

import JSON

package struct RideReport {
  package enum Pause: String, Sendable {
    case byHand = "by_hand"
    case standing
    /// A later daemon's word.
    case other
  }

  /// Without quotes. The buffer is reused.
  package private(set) var rideID: [UInt8] = []
  /// With quotes.
  package private(set) var sport: [UInt8] = []
  package private(set) var hasEnded = false
  package private(set) var pause: Pause?
  package private(set) var lap = 1
  /// In milliseconds, without pauses by hand.
  package private(set) var rideTimeMS: Int64 = 0
  package private(set) var lapTimeMS: Int64 = 0

  package init() {}

  /// Returns false, and changes nothing, if the sample is another one.
  package mutating func read(_ sample: borrowing SampleLine, of line: Span<UInt8>) -> Bool {
    guard line.has("\"ride\"", at: sample.sensor), line.has("\"ride\"", at: sample.kind),
      let id = sample.fields.last(where: { line.has("ride_id", at: $0.name) })?.value, id.count > 2
    else { return false }
    rideID.replace(with: line.extracting((id.lowerBound + 1)..<(id.upperBound - 1)))
    (hasEnded, pause, lap, rideTimeMS, lapTimeMS) = (false, nil, 1, 0, 0)
    sport.removeAll(keepingCapacity: true)
    var isPaused = false
    var reason = Pause.other
    for field in sample.fields {
      let (name, value) = (field.name, field.value)
      switch name.count {
      case 3 where line.has("lap", at: name): lap = Int(line.decimal(value, decimals: 0) ?? 1)
      case 5 where line.has("sport", at: name): sport.replace(with: line.extracting(value))
      case 5 where line.has("ended", at: name): hasEnded = line.has("true", at: value)
      case 5 where line.has("pause", at: name):
        reason = line.has("\"by_hand\"", at: value) ? .byHand : line.has("\"standing\"", at: value) ? .standing : .other
      case 6 where line.has("paused", at: name): isPaused = line.has("true", at: value)
      case 10 where line.has("lap_time_s", at: name): lapTimeMS = line.decimal(value, decimals: 3) ?? 0
      case 11 where line.has("ride_time_s", at: name): rideTimeMS = line.decimal(value, decimals: 3) ?? 0
      default: break
      }
    }
    pause = isPaused ? reason : nil
    return true
  }
}

extension Span<UInt8> {
  fileprivate func decimal(_ value: Range<Int>, decimals: Int) -> Int64? {
    Decimal(self, value, isExact: false)?.rounded(to: decimals)
  }
}

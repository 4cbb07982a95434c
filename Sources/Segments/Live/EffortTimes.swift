// The times at which an effort was at distances along the line, so that a rider can be compared with
// it on the way. Pure.

package struct EffortTimes: Equatable, Sendable {
  /// More distances say nothing new.
  package static let mostPlaces = 512
  /// In seconds. No effort takes so long.
  package static let longest = 1e6

  /// In metres from the start of the line, ascending.
  private var distances: [Float] = []
  /// In seconds since the start of the effort.
  private var seconds: [Float] = []
  private var spacing = 0.0

  package init() {}

  package var count: Int { distances.count }

  /// Forgets everything, and is ready for an effort on a line of this length.
  package mutating func begin(lengthM: Double) {
    distances.removeAll(keepingCapacity: true)
    seconds.removeAll(keepingCapacity: true)
    distances.reserveCapacity(Self.mostPlaces)
    seconds.reserveCapacity(Self.mostPlaces)
    spacing = max(10, lengthM / Double(Self.mostPlaces - 2))
    append(0, 0)
  }

  /// Adds a place of the effort, unless it is near the last one.
  package mutating func add(alongM: Double, seconds time: Double) {
    guard let last = distances.last, alongM >= Double(last) + spacing, distances.count < Self.mostPlaces - 1 else {
      return
    }
    append(alongM, time)
  }

  /// The effort ends.
  package mutating func end(lengthM: Double, seconds time: Double) {
    if let last = distances.last, Double(last) >= lengthM {
      distances.removeLast()
      seconds.removeLast()
    }
    append(lengthM, time)
  }

  private mutating func append(_ distance: Double, _ time: Double) {
    distances.append(Float(distance))
    seconds.append(Float(max(time, Double(seconds.last ?? 0))))
  }

  package var places: [(distanceM: Double, seconds: Double)] {
    zip(distances, seconds).map { (Double($0), Double($1)) }
  }

  /// Nil unless distances ascend and times do not fall.
  package init?(_ places: some Collection<(distanceM: Double, seconds: Double)>) {
    guard places.count <= Self.mostPlaces else { return nil }
    for place in places {
      guard place.distanceM.isFinite, place.seconds.isFinite, place.distanceM > Double(distances.last ?? -1),
        place.seconds >= Double(seconds.last ?? 0), place.seconds < Self.longest
      else { return nil }
      distances.append(Float(place.distanceM))
      seconds.append(Float(place.seconds))
    }
  }

  /// When the effort was there. Nil beyond its ends.
  package func seconds(at alongM: Double) -> Double? {
    guard let first = distances.first, let end = distances.last, alongM >= Double(first), alongM <= Double(end) else {
      return nil
    }
    var (low, high) = (0, distances.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Double(distances[middle]) <= alongM { low = middle } else { high = middle }
    }
    guard high > low, distances[high] > distances[low] else { return Double(seconds[low]) }
    let part = (alongM - Double(distances[low])) / Double(distances[high] - distances[low])
    return Double(seconds[low]) + Double(seconds[high] - seconds[low]) * part
  }
}

/// An effort that a rider is compared with.
package struct PastEffort: Equatable, Sendable {
  package var timeS: Double
  /// Nil if only the time of the whole is known.
  package var times: EffortTimes?

  package init(timeS: Double, times: EffortTimes?) {
    (self.timeS, self.times) = (timeS, times)
  }
}

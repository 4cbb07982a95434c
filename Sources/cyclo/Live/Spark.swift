// A spark line of the last minute or so: one character per second, with gaps where there is no data.

struct Spark: Equatable {
  /// One value per column, the newest last; nil if unknown.
  let values: [Double?]

  var range: ClosedRange<Double>? {
    let known = values.compactMap(\.self)
    guard let low = known.min(), let high = known.max() else { return nil }
    return low...high
  }

  func text(_ style: Style) -> String {
    guard let range else { return String(repeating: " ", count: values.count) }
    let steps = Array(style.isUnicode ? "▁▂▃▄▅▆▇█" : "_.-=+*#")
    // The height spans at least a tenth of the value, so that small changes stay small.
    let middle = (range.lowerBound + range.upperBound) / 2
    let span = max(range.upperBound - range.lowerBound, middle.magnitude / 10, 1e-9)
    return String(
      values.map { value in
        guard let value else { return " " }
        let height = (value - middle) / span + 0.5
        // For numbers near the limits of Double.
        guard height.isFinite else { return steps[0] }
        return steps[min(steps.count - 1, max(0, Int(height * Double(steps.count))))]
      })
  }
}

extension Spark {
  /// A wave in as many columns: each shows the value farthest from the middle, so that no peak is
  /// lost.
  init(wave: [Double], width: Int) {
    let middle = wave.reduce(0, +) / Double(max(1, wave.count))
    values = (0..<max(0, width)).map { column in
      let first = column * wave.count / width
      let last = max(first + 1, (column + 1) * wave.count / width)
      return wave[first..<min(last, wave.count)].max { ($0 - middle).magnitude < ($1 - middle).magnitude }
    }
  }
}

/// Values by second; of two in one second the later counts.
struct History {
  private var points: [(second: Int64, value: Double)] = []
  /// More than the columns of a wide terminal.
  private static let limit = 512

  mutating func append(_ value: Double, at second: Int64) {
    if let last = points.last, last.second == second {
      points[points.count - 1].value = value
    } else {
      if points.count == Self.limit { points.removeFirst(Self.limit / 2) }
      points.append((second, value))
    }
  }

  /// The last `width` seconds before `now`. A value holds for `hold` seconds, because packets are
  /// not aligned to seconds.
  func seconds(_ width: Int, before now: Int64, hold: Int64) -> Spark {
    var values = [Double?](repeating: nil, count: max(0, width))
    let first = now - Int64(values.count) + 1
    for (index, point) in points.enumerated() {
      let next = index + 1 < points.count ? points[index + 1].second : .max
      let end = min(next - 1, point.second + hold, now)
      guard point.second <= end, end >= first else { continue }
      for second in max(point.second, first)...end { values[Int(second - first)] = point.value }
    }
    return Spark(values: values)
  }

  /// The last `width` values, however far apart, for kinds that are rare.
  func values(_ width: Int) -> Spark {
    let last = points.suffix(max(0, width)).map { Double?.some($0.value) }
    return Spark(values: Array(repeating: nil, count: max(0, width - last.count)) + last)
  }
}

// How edits change what an activity shows. Pure.
//
// `baseSpans` keeps what `revert` restores, in the time of the activity as it is now. So it also says
// how far the zero has moved since then.

/// A part of what an activity shows, in its time.
struct SpansPart: Equatable {
  /// Not empty.
  var spans: [ActivitySpan]
  var startMS: Int64
  var endMS: Int64
}

extension StoredActivity {
  /// Keeps what it shows before its first edit. Of its own recording, the base ends with the last
  /// moment.
  mutating func noteBase() {
    guard baseSpans == nil else { return }
    baseSpans = [ActivitySpan(activity: id, fromMS: startMS, toMS: endMS, atMS: startMS)]
  }

  mutating func show(_ part: SpansPart) {
    noteBase()
    let zero = part.startMS.dividedDown(by: 1000) * 1000
    (startMS, endMS) = (part.startMS - zero, part.endMS - zero)
    spans = part.spans.shifted(by: -zero)
    moveZero(by: zero)
  }

  /// `endMS`: where the base ends, in the time of the activity as it is now.
  mutating func revert(endMS end: Int64?) {
    guard let base = baseSpans, let first = base.first else { return }
    let zero = first.atMS.dividedDown(by: 1000) * 1000
    (startMS, endMS) = (first.atMS - zero, (end ?? endMS) - zero)
    moveZero(by: zero)
    let isOwn = first.activity == id
    spans = isOwn ? nil : baseSpans
    if isOwn { baseSpans = nil }
  }

  private mutating func moveZero(by milliseconds: Int64) {
    baseSpans = baseSpans?.shifted(by: -milliseconds)
    guard let start = startUTCMS else { return }
    (startUTCMS, sortMS) = (start + milliseconds, start + milliseconds)
  }
}

extension [ActivitySpan] {
  func shifted(by milliseconds: Int64) -> [ActivitySpan] {
    map { span in
      var span = span
      span.atMS += milliseconds
      return span
    }
  }

  /// Spans that continue each other become one, so that joining what a split made undoes the split.
  func joined(with others: [ActivitySpan]) -> [ActivitySpan] {
    var result = self
    for span in others {
      if let last = result.last, last.continues(with: span) {
        result[result.count - 1].toMS = span.toMS
      } else {
        result.append(span)
      }
    }
    return result
  }

  /// What lies within the range; nil if nothing does. `ends`: the last moments of the recordings, for
  /// spans without an end.
  func part(fromMS: Int64, toMS: Int64?, ends: [Int64: Int64]) -> SpansPart? {
    var part: SpansPart?
    for span in self {
      var span = span
      let shift = span.atMS - span.fromMS
      let last = (span.toMS ?? ends[span.activity] ?? .max / 2) + shift
      if let toMS, toMS <= last { span.toMS = toMS - shift }
      let skipped = Swift.max(0, fromMS - span.atMS)
      span.fromMS += skipped
      span.atMS += skipped
      let end = Swift.min(last, toMS ?? .max)
      guard span.atMS < end else { continue }
      var longer = part ?? SpansPart(spans: [], startMS: span.atMS, endMS: end)
      longer.spans.append(span)
      longer.endMS = end
      part = longer
    }
    return part
  }
}

extension ActivitySpan {
  fileprivate func continues(with next: ActivitySpan) -> Bool {
    guard let toMS else { return false }
    return next.activity == activity && next.fromMS == toMS && next.atMS - next.fromMS == atMS - fromMS
  }
}

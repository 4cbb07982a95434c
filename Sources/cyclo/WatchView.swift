// The plain lines of `watch`: time, sensor and value, below a heading. Column widths fit every kind
// and most sensors; a longer id widens its column permanently. On a terminal a sample takes one
// line, whose details may be cut; on a narrow one the sensor's name comes last. An old value is
// followed by its age.

import JSON
import Linux
import LogbookWire
import Text
import Time
import Wire

struct WatchView {
  let style: Style
  /// The width of the terminal; nil without one.
  let columns: Int?
  /// The bike, if there are several.
  private(set) var owner = ""
  private var sensorWidth = 16
  private var kindWidth = 16
  private var hasHeading = false
  private static let valueWidth = 12

  init(style: Style, columns: Int? = nil) {
    self.style = style
    self.columns = columns
    if isNarrow { kindWidth = 10 }
  }

  /// Starts with the heading. Empty for a record that people need not see.
  mutating func lines(_ message: Message, received: WallTime) -> [String] {
    line(message, received: received).map { withHeading($0) } ?? []
  }

  /// The bike of the lines that follow.
  mutating func show(bike: String) { owner = bike }

  /// The state of a receiver or of the broker.
  mutating func lines(of what: String, state: String, received: WallTime) -> [String] {
    withHeading(
      start(received, "", what) + style.paint(state, state == "online" || state == "connected" ? .good : .warning))
  }

  /// An event of the recorder.
  mutating func lines(_ event: LogbookEventRecord, received: WallTime) -> [String] {
    let colour: Style.Colour = event.event.known == .storageOK ? .good : .warning
    return withHeading(start(event.time ?? received, "logbook", "event") + style.paint(event.words(), colour))
  }

  private mutating func withHeading(_ line: String) -> [String] {
    if hasHeading { return [line] }
    hasHeading = true
    return [style.paint(heading, .faint), line]
  }

  private var isNarrow: Bool { columns.map { $0 < 72 } ?? false }

  private var heading: String {
    let kind = "KIND".padded(to: kindWidth)
    if isNarrow { return "TIME     \(kind) VALUE" }
    return "TIME          \("SENSOR".padded(to: sensorWidth))  \(kind)  \("VALUE".padded(to: Self.valueWidth))  DETAILS"
  }

  mutating func line(_ message: Message, received: WallTime) -> String? {
    switch message {
    case .sample(let record):
      let sample = Sample(record, style)
      return line(sample, received - .seconds(sample.age))
    case .state(let state):
      return start(received, state.sensor, "state") + style.paint(state.condition, colour(ofState: state.state.text))
    case .adapter(let adapter):
      let state = adapter.state.text
      return start(received, adapter.adapter, "adapter") + style.paint(printable(state), colour(ofState: state))
    case .sensor(let change): return start(received, change.sensor.id, "sensor") + printable(change.change.text)
    case .event(let event):
      return start(received, event.sensor ?? "", "event") + style.paint(eventText(event, style), .warning)
    case .lag(let lag): return start(received, "", "lag") + style.paint(lag.words, .warning)
    default: return nil
    }
  }

  private mutating func line(_ sample: Sample, _ time: WallTime) -> String {
    let start = isNarrow ? shortStart(time, sample.kind) : start(time, sample.sensor, sample.kind)
    let age = sample.age > 2 ? "(\(spanText(sample.age)) ago)" : ""
    let others = isNarrow ? named(sample.sensor) : sample.details
    let rest = [age, others].filter { !$0.isEmpty }.joined(separator: " ")
    let value = sample.summary
    let width = isNarrow ? value.columns : max(value.columns, Self.valueWidth)
    let room = columns.map { $0 - start.columns - width - 2 } ?? .max
    if room < 4 || rest.isEmpty { return start + style.paint(value, age.isEmpty ? .strong : .faint) }
    return start + style.paint(value, age.isEmpty ? .strong : .faint)
      + String(repeating: " ", count: width - value.columns + 2) + style.paint(rest.fitted(to: room, style), .faint)
  }

  private mutating func shortStart(_ time: WallTime, _ kind: String) -> String {
    let kind = printable(kind)
    kindWidth = max(kindWidth, kind.columns)
    return "\(clock(LocalTime(time)).prefix(8)) \(kind.padded(to: kindWidth)) "
  }

  private func named(_ sensor: String) -> String {
    printable(owner.isEmpty ? sensor : sensor.isEmpty ? owner : "\(owner) \(sensor)")
  }

  private mutating func start(_ time: WallTime, _ sensor: String, _ what: String) -> String {
    let sensor = named(sensor)
    let what = printable(what)
    sensorWidth = max(sensorWidth, sensor.columns)
    kindWidth = max(kindWidth, what.columns)
    return "\(clock(LocalTime(time)))  \(sensor.padded(to: sensorWidth))  \(what.padded(to: kindWidth))  "
  }
}

/// `radar_approach  level 2`
func eventText(_ event: EventRecord, _ style: Style, inWords: Bool = false) -> String {
  let name = printable(event.event)
  return valueText(style) {
    $0.event(inWords ? Quantity.label(name) : name, .object(event.details), in: ParsedValues())
  }
}

extension LogbookEventRecord {
  /// `hole of activity 12: seconds are missing`
  func words(isPlain: Bool = false) -> String {
    let name = isPlain ? Quantity.label(event.text) : event.text
    let owner = activity.map { " of activity \($0)" } ?? ""
    return printable(name + owner + (message.map { ": \($0)" } ?? ""))
  }
}

extension LagRecord {
  var words: String { "\(dropped) samples lost: this program reads too slowly" }
}

private func clock(_ time: LocalTime) -> String {
  func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
  return "\(digits(time.hour, 2)):\(digits(time.minute, 2)):\(digits(time.second, 2)).\(digits(time.millisecond, 3))"
}

// The plain lines of `watch`: when, who, what. Columns widen with the longest name that came, and never jump back. On a
// terminal a sample takes one line, whose details may be cut; on a narrow one the name of the sensor comes last.

import Linux
import Wire

struct WatchView {
  let style: Style
  /// Of the terminal; nil where there is none.
  let columns: Int?
  private var sensorWidth = 12
  private var kindWidth = 10

  init(style: Style, columns: Int? = nil) {
    self.style = style
    self.columns = columns
  }

  /// Nil for a record that says nothing to a person.
  mutating func line(_ record: JSON, received: Linux.WallTime) -> String? {
    if let sample = Sample(record, style) {
      let then = Linux.WallTime(nanoseconds: received.nanoseconds - Int64(sample.age * 1e9))
      return line(sample, then)
    }
    let sensor = record["sensor"]?.text ?? ""
    switch record["class"]?.text {
    case "state": return start(received, sensor, "state") + state(record)
    case "adapter": return start(received, record["adapter"]?.text ?? "", "adapter") + state(record)
    case "sensor":
      let id = record["sensor"]?["id"]?.text ?? ""
      return start(received, id, "sensor") + printable(record["change"]?.text ?? "changed")
    case "event": return start(received, sensor, "event") + style.paint(eventText(record, style), .warning)
    case "lag":
      let count = record["dropped"]?.integer ?? 0
      return start(received, "", "lag") + style.paint("\(count) samples were lost: this reads too slowly", .warning)
    default: return nil
    }
  }

  private mutating func line(_ sample: Sample, _ time: Linux.WallTime) -> String {
    let isNarrow = columns.map { $0 < 72 } ?? false
    let start = isNarrow ? shortStart(time, sample.kind) : start(time, sample.sensor, sample.kind)
    let rest = isNarrow ? printable(sample.sensor) : sample.details
    let room = columns.map { $0 - start.columns - sample.summary.columns - 2 } ?? .max
    let details = room < 4 || rest.isEmpty ? "" : "  " + style.paint(rest.fitted(to: room, style), .faint)
    return start + style.paint(sample.summary, .strong) + details
  }

  private mutating func shortStart(_ time: Linux.WallTime, _ kind: String) -> String {
    let kind = printable(kind)
    kindWidth = max(kindWidth, kind.columns)
    return "\(clock(LocalTime(time)).prefix(8)) \(kind.padded(to: kindWidth)) "
  }

  private func state(_ record: JSON) -> String {
    style.paint(stateText(record), colour(ofState: record["state"]?.text ?? ""))
  }

  private mutating func start(_ time: Linux.WallTime, _ sensor: String, _ what: String) -> String {
    let sensor = printable(sensor)
    let what = printable(what)
    sensorWidth = max(sensorWidth, sensor.columns)
    kindWidth = max(kindWidth, what.columns)
    return "\(clock(LocalTime(time)))  \(sensor.padded(to: sensorWidth))  \(what.padded(to: kindWidth))  "
  }
}

/// `radar_approach  level 2`
func eventText(_ record: JSON, _ style: Style) -> String {
  let details = (record.members ?? []).filter { !["class", "event", "sensor", "t", "time", "seq"].contains($0.name) }
  let parts = details.map { "\(printable(Quantity.label($0.name))) \(described($0, style))" }
  return ([printable(record["event"]?.text ?? "")] + parts).joined(separator: "  ")
}

private func clock(_ time: LocalTime) -> String {
  func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
  return "\(digits(time.hour, 2)):\(digits(time.minute, 2)):\(digits(time.second, 2)).\(digits(time.millisecond, 3))"
}

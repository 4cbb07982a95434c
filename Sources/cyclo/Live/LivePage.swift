// The other screens of `watch`, which scroll: all values as text, and the help on keys and colours.

import JSON
import Linux
import Text
import Time
import Wire

/// Which screen of `watch` is shown.
enum Page {
  case values, all, help
}

enum LivePage {
  static let hint = "q quit, u units, a all values, h help"

  /// Every sensor with its state, then every value with all fields.
  static func all(_ dashboard: Dashboard, columns: Int, at now: MonotonicTime) -> [Line] {
    var lines = [Line("Sensors", .strong)]
    for sensor in dashboard.sensors {
      let name = printable(sensor.name.isEmpty ? sensor.id : sensor.name)
      let battery = sensor.batteryPct.map { ", battery \(Quantity.text("battery_pct", $0, dashboard.style))" }
      var line = Line("  \(name.padded(to: 20)) ")
      line.add(dashboard.condition(of: sensor) + (battery ?? ""), colour(ofState: sensor.stateWord))
      lines.append(line)
    }
    for reading in dashboard.readings {
      let sample = reading.sample
      let sensor = dashboard.owner(of: sample)
      let owner = sample.isDerived ? sample.sensor : sensorTitle(sample, sensor)
      lines += [Line("")]
      var heading = Line(kindTitle(sample, sensor), .strong)
      let age = reading.age(at: now)
      heading.add("  \(owner)" + (age < 5 ? "" : ", \(ageText(age)) ago"), .faint)
      lines.append(heading)
      let text = [sample.summary, sample.details].filter { !$0.isEmpty }.joined(separator: ", ")
      lines += text.wrapped(to: max(8, columns - 3)).map { Line("  " + $0) }
    }
    return lines
  }

  static func help(_ style: Style, columns: Int) -> [Line] {
    var lines = [Line("Keys", .strong)]
    for (key, meaning) in [
      ("q", "quit"), ("u", "switch between metric and imperial units"),
      ("a", "show all values and sensors, and go back"),
      ("h ?", "show this help, and go back"), ("up down", "scroll; also k and j, space for a page"),
    ] {
      lines += paragraph(key, meaning, columns)
    }
    lines += [Line(""), Line("The screen", .strong)]
    for (sign, meaning) in [
      (style.either("▄▄▄", ascii: "---"), "no current value; next to it the last one, its age, and the reason"),
      (style.either("▁▄█", ascii: "_-#"), "the last minute, one column per second"),
      (
        style.either("►", ascii: "==>"),
        "a car on the road behind you; you are at the right end, 150 m from the left one"
      ),
      ("!", "the car approaches fast"),
      (style.either("●", ascii: "*"), "a sensor that is streaming"),
    ] {
      lines += paragraph(sign, meaning, columns)
    }
    lines.append(Line(""))
    for (colour, word, meaning) in [
      (Style.Colour.good, "green", "good: streaming, or a clear road"),
      (.warning, "yellow", "needs attention; a car approaches"),
      (.bad, "red", "needs action; a car approaches fast"),
    ] {
      var line = Line("  " + word.padded(to: 9), colour)
      line.add(meaning)
      lines.append(line)
    }
    return lines
  }

  private static func paragraph(_ sign: String, _ meaning: String, _ columns: Int) -> [Line] {
    meaning.wrapped(to: max(8, columns - 12)).enumerated().map { index, text in
      var line = Line("  " + (index == 0 ? sign : "").padded(to: 9), .strong)
      line.add(text)
      return line
    }
  }
}

extension LiveView {
  /// The lines that fit, and the keys below them.
  func scrolled(_ lines: [Line], _ size: Terminal.Size) -> [Line] {
    let room = max(1, size.rows - 1)
    let start = max(0, min(offset, lines.count - room))
    let shown = lines.dropFirst(start).prefix(room)
    let below = lines.count - start - shown.count
    let more = below > 0 ? "\(below) more lines below; " : ""
    let footer = Line(more + "q quit, a or h back, up and down scroll", .faint)
    return shown + Array(repeating: Line(), count: room - shown.count) + [footer]
  }
}

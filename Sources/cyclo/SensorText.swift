// Everything known about a sensor, as sections of names and values.

import CyclometerSamples
import JSON
import SensorKit
import Text
import Vocabulary
import Wire

struct SensorText {
  let style: Style
  /// Width of the terminal; nil without a terminal, which turns wrapping off.
  let columns: Int?
  let plugins: PluginRegistry

  typealias Section = SectionText.Section

  func lines(_ id: String, _ sections: [Section]) -> [String] {
    SectionText(columns: columns, style: style).lines(id, sections)
  }
}

// MARK: Sections

extension SensorText {
  func identity(_ sensor: SensorRecord, _ samples: [Sample]) -> Section {
    var section = Section(heading: "")
    // Its sample below also has the age.
    let saysBattery = samples.contains { $0.sensor == sensor.id && $0.kind == BatterySample.kind }
    let battery = saysBattery ? nil : sensor.batteryPct
    section.rows = [
      ("name", printable(sensor.name)), ("address", printable(sensor.address)), ("state", sensor.condition),
      ("role", printable(sensor.role?.text ?? "")),
      ("battery", battery.map { Quantity.text("battery_pct", $0, style) } ?? ""),
      ("signal", sensor.rssiDBm.map(signal) ?? ""),
    ]
    return section
  }

  /// Its kinds and commands, and members of later daemons.
  func abilities(_ sensor: SensorRecord) -> Section {
    var section = Section(heading: "Capabilities")
    let commands = plugins.commands(of: sensor).map(\.name).joined(separator: ", ")
    section.rows = [
      ("kinds", listed(sensor.kinds)), ("commands", commands),
      ("plugins", listed(sensor.plugins)),
    ]
    for program in sensor.programs { section.rows.append(("program", programText(program, of: sensor))) }
    for member in sensor.others {
      section.rows.append((Quantity.label(member.name), described(member, style)))
    }
    return section
  }

  private func programText(_ program: ProgramRecord, of sensor: SensorRecord) -> String {
    let user = printable(program.user)
    let text = program.pid.map { "process \($0) of user \(user)" } ?? "does not run (user \(user))"
    return sensor.programs.count == 1 ? text : "\(printable(program.plugin)): \(text)"
  }

  /// Features that only exist or not are listed together, because there are many.
  func members(_ object: JSONValue?, heading: String) -> Section {
    let members = object?.members ?? []
    func labels(_ isThere: Bool) -> String {
      members.filter { $0.value == .bool(isThere) }.map { Quantity.label(printable($0.name)) }.joined(separator: ", ")
    }
    let valued = members.filter { $0.value.bool == nil }
    return Section(
      heading: heading,
      rows: valued.map { (Quantity.label($0.name), described($0, style)) } + [
        ("has", labels(true)), ("lacks", labels(false)),
      ])
  }

  func link(_ sensor: SensorRecord, adapters: [AdapterRecord]) -> Section {
    var section = Section(heading: "Link")
    if let link = sensor.link {
      section.rows.append(("lost", link.reconnects == 0 ? "never" : times(link.reconnects)))
      if link.silentReconnects > 0 {
        section.rows.append(("reconnected while silent", times(link.silentReconnects)))
      }
      if let gap = link.longestGapS { section.rows.append(("longest gap", spanText(gap))) }
      if let packets = link.packets { section.rows.append(("packets", packetText(packets, missed: link.missed))) }
      for member in link.others { section.rows.append((Quantity.label(member.name), described(member, style))) }
    }
    for adapter in adapters { section.rows.append(("adapter", adapterText(adapter))) }
    return section
  }

  func values(of sensor: SensorRecord, _ samples: [Sample], heading: String = "") -> Section {
    var section = Section(heading: heading)
    for sample in samples where sample.sensor == sensor.id {
      let details = sample.details.isEmpty ? "" : " (\(sample.details))"
      section.rows.append((Quantity.label(sample.kind), "\(sample.headline)\(details), \(spanText(sample.age)) ago"))
    }
    return section
  }

  private func signal(_ rssi: Int) -> String {
    "\(SignalBar.text(rssi)) \(SignalBar.word(rssi)), \(rssi) dBm"
  }

  /// `2100, missed 3 (0.1 %)`
  private func packetText(_ packets: Int, missed: Int?) -> String {
    let text = Quantity.decimal(Double(packets), places: 0)
    guard let missed = missed.map(Double.init) else { return text }
    let whole = Double(packets) + missed
    let share = whole > 0 ? missed / whole * 100 : 0
    return "\(text), missed \(Quantity.decimal(missed, places: 0)) (\(Quantity.decimal(share, places: 1)) %)"
  }

  private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  private func adapterText(_ adapter: AdapterRecord) -> String {
    var parts = ["\(printable(adapter.adapter)) is \(printable(adapter.state.text))"]
    let links = adapter.links
    if let shortest = links?.shortestIntervalMS, let longest = links?.longestIntervalMS {
      let (from, to) = (Quantity.short(shortest, places: 2), Quantity.short(longest, places: 2))
      parts.append("links start with an interval of \(from == to ? from : "\(from) to \(to)") ms")
    }
    if let latency = links?.latency { parts.append("latency \(latency)") }
    if let timeout = links?.supervisionTimeoutMS {
      parts.append("drops links after \(timeout) ms without data")
    }
    return parts.joined(separator: ", ")
  }
}

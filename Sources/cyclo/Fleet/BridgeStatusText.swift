// The bridge's status in lines for people.

import FleetWire
import Text
import Time
import Wire

struct BridgeStatusText {
  let status: BridgeStatusReply
  let style: Style
  let columns: Int?

  var lines: [String] {
    var sections = [
      SectionText.Section(
        heading: "",
        rows: [
          ("group", printable(status.group)), ("daemon", daemon), ("live", live), ("control", control),
          ("release", printable(status.release ?? "")),
        ])
    ]
    sections.append(SectionText.Section(heading: "Broker", rows: broker))
    if let spool = status.spool { sections.append(SectionText.Section(heading: "Spool", rows: rows(of: spool))) }
    if let shared = status.shared, status.control?.isConnected == true {
      sections.append(SectionText.Section(heading: "Shared sensors", rows: rows(of: shared)))
    }
    if let wall = status.wall { sections.append(SectionText.Section(heading: "Wall", rows: rows(of: wall))) }
    return SectionText(columns: columns, style: style).lines(status.receiver, sections)
  }

  private var daemon: String {
    if status.wall?.isAlone == true { return "not needed: the bridge only reads" }
    guard status.isConnected else { return style.paint("not connected", .bad) }
    let clock = status.isClockSet == false ? ", " + style.paint("the clock is not set", .warning) : ""
    return "connected" + (status.sensors.map { ", " + counted($0, "sensor") } ?? "") + clock
  }

  private var live: String {
    let wanted = status.live.kinds
    guard let until = status.live.until else { return printable(status.live.mode) }
    let kinds = wanted.isEmpty ? "nothing that was measured" : printable(wanted.joined(separator: ", "))
    return "\(printable(status.live.mode)): \(kinds) until \(until.localMinuteText)"
  }

  private var control: String {
    guard let control = status.control else { return "" }
    guard control.isConnected else { return style.paint(printable(control.message ?? "not connected"), .bad) }
    return control.allowed.isEmpty ? "" : "allowed: " + printable(control.allowed.joined(separator: ", "))
  }

  private var broker: [(name: String, value: String)] {
    let broker = status.broker
    let colour: Style.Colour =
      switch broker.state.known {
      case .connected: .good
      case .stopped: .bad
      default: .warning
      }
    let state = broker.state.known == .unset ? "none is configured" : printable(broker.state.text)
    let since = broker.since.map { " since " + $0.localMinuteText } ?? ""
    return [
      ("address", printable(broker.address ?? "")), ("state", style.paint(state, colour) + since),
      ("reason", printable(broker.message ?? "")), ("refused", printable(broker.refused.joined(separator: " "))),
    ]
  }

  private func rows(of shared: [SharedSensorReply]) -> [(name: String, value: String)] {
    guard !shared.isEmpty else { return [("none", "every sensor stays with its receiver")] }
    return shared.map { each in
      let value =
        switch each.holder.known {
        case .here: style.paint("here", .good)
        case .elsewhere: each.receiver.map { "with " + printable($0) } ?? "elsewhere"
        case .free: "free: the receivers wait for it"
        case nil: printable(each.holder.text)
        }
      return (printable(each.sensor), value)
    }
  }

  private func rows(of wall: WallReply) -> [(name: String, value: String)] {
    [
      ("groups", printable(wall.groups.joined(separator: ", "))),
      ("receivers", "\(wall.receivers), \(wall.online) online"),
      ("memory", "\(wall.bytes >> 10) of \(wall.limitBytes >> 10) KiB"),
      ("refused", wall.refused > 0 ? style.paint(counted(wall.refused, "message"), .warning) : ""),
    ]
  }

  private func rows(of spool: SpoolReply) -> [(name: String, value: String)] {
    let share = spool.limitBytes > 0 ? Int((Double(spool.bytes) / Double(spool.limitBytes) * 100).rounded()) : 0
    return [
      ("unsent", counted(spool.records, "record") + " in \(spool.batches) batch\(spool.batches == 1 ? "" : "es")"),
      ("full", "\(share) % of \(spool.limitBytes >> 20) MiB"),
      ("lost", spool.lost > 0 ? style.paint(counted(spool.lost, "record"), .bad) : ""),
      ("storage", spool.message.map { style.paint(printable($0), .bad) } ?? ""),
    ]
  }
}

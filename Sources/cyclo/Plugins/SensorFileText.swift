// What a file that declares a sensor recognizes, receives, publishes and writes, as text.

import DeclaredSensors
import SensorKit
import Text

struct SensorFileText {
  let program: SensorProgram
  let style: Style

  var lines: [String] {
    let info = program.info
    let title = style.paint(info.id, .strong)
    let rows = [
      ("recognizes", recognized), ("replaces", program.about.replaces.map { ["the built-in \($0)"] } ?? []),
      ("receives", received), ("publishes", published), ("commands", commands), ("program", decoder),
      ("writes", written),
    ]
    return ["\(title): \(printable(info.title)), format 1, no errors"]
      + rows.filter { !$0.1.isEmpty }.flatMap { name, values in
        values.enumerated().map { index, value in
          "  " + style.paint((index == 0 ? name : "").padded(to: 10), .faint) + "  " + value
        }
      }
  }

  private var recognized: [String] {
    let info = program.info
    let services = info.services.map { "a device with service \($0)" }
    let announced = info.announcements.map {
      "a device with service \($0.service) whose name begins with \(printable($0.namePrefix))"
    }
    return services + announced + info.adverts.map { "an advertisement \(Self.text(of: $0))" }
  }

  private static func text(of advert: AdvertPattern) -> String {
    var text =
      switch advert.carrier {
      case .manufacturer(let company): "of company \(companyText(company))"
      case .serviceData(let uuid): "with data of service \(uuid)"
      case .anyManufacturer: "of any company"
      }
    if advert.isWholeName {
      text += " by the name \(printable(advert.name))"
    } else if !advert.name.isEmpty {
      text += " with a name that begins with \(printable(advert.name))"
    }
    if let service = advert.service { text += " beside service \(service)" }
    return text
  }

  private var received: [String] {
    let sources = program.sources.map { source in
      let verbs = [
        (source.isRead, "read"), (source.isNotified, "notify"), (source.isIndicated, "indicate"),
      ].filter(\.0).map(\.1)
      return "\(source.service) \(source.characteristic) (\(verbs.joined(separator: ", ")))"
    }
    return sources.isEmpty ? [] : [sources.joined(separator: ", ")]
  }

  private var published: [String] {
    var parts = program.info.kinds.map(\.name.description)
    for (word, names) in [("events", program.events), ("facts", program.facts), ("answers with", program.answers)]
    where !names.isEmpty { parts.append(([word] + names).joined(separator: " ")) }
    return [parts.isEmpty ? "nothing" : parts.joined(separator: ", ")]
  }

  /// Who decodes its packets, if that is another program.
  private var decoder: [String] {
    program.process.map { [Self.decoder($0.user)] } ?? []
  }

  static func decoder(_ user: String) -> String { "a program of user \(printable(user)) decodes its packets" }

  private var commands: [String] {
    program.info.offers.map { "\($0.name): \(printable($0.summary))" }
  }

  private var written: [String] { writes.isEmpty ? ["nothing"] : writes }

  /// One text per write.
  var writes: [String] {
    let services = program.process?.writableServices ?? []
    return program.writes.map { WriteText($0).line } + services.map { WriteText(byProgramTo: $0.description).line }
  }
}

// The units in which values are shown to people. Programs (the socket, --json) always get SI units.

import CommandTable
import CycloCommands
import Linux

enum UnitSystem: String, CaseIterable {
  case metric, imperial

  /// From the command line, else the environment, else the user's file, else the locale.
  static func ofUser(option: String?) throws(Failure) -> UnitSystem {
    try chosen(option: option, locale: .current) { ProcessEnvironment.variable($0) }
  }

  static func chosen(
    option: String?, locale: UserLocale, _ variable: (String) -> String?
  ) throws(Failure) -> UnitSystem {
    var word = option
    if word == nil, let named = variable(Self.variableName), !named.isEmpty {
      word = try checked(named, in: Self.variableName)
    }
    if word == nil, let path = UserFile.path(variable) { word = try UserFile.units(in: path) }
    return word.flatMap(UnitSystem.init) ?? standard(in: locale.measuringTerritory)
  }

  static let variableName = "CYCLOMETER_UNITS"

  fileprivate static func checked(_ word: String, in place: String) throws(Failure) -> String {
    if Option.unitWords.contains(word) { return word }
    let words = Option.unitWords.joined(separator: ", ")
    throw Failure(.usage, "\(place): '\(word)' is not one of \(words)", advice: ["For one command, use --units"])
  }

  /// The territories that measure roads in miles, according to the C library.
  private static func standard(in territory: String) -> UnitSystem {
    ["US", "PR", "LR", "MM"].contains(territory) ? .imperial : .metric
  }
}

/// The user's file: lines `key = value`; `#` at the start of a line is a comment. It has one key,
/// so it is parsed here: libinih belongs to the daemon.
private enum UserFile {
  static func path(_ variable: (String) -> String?) -> String? {
    // The specification of base directories says that relative paths are ignored.
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/cyclometer/cyclo.conf" }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/.config/cyclometer/cyclo.conf"
  }

  /// Nil if the file is missing or does not set it. A file of another user (HOME after sudo) is
  /// ignored.
  static func units(in path: String) throws(Failure) -> String? {
    guard let content = try? Files.read(path, atMost: 1 << 20) else { return nil }
    var word: String?
    let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.trimmed
      if text.isEmpty || text.hasPrefix("#") { continue }
      let place = "\(path), line \(index + 1)"
      guard let sign = text.firstIndex(of: "="), text[..<sign].trimmed == "units" else {
        throw Failure(.usage, "\(place): '\(text)' is not a setting", advice: ["The only setting is: units = metric"])
      }
      word = try UnitSystem.checked(String(text[text.index(after: sign)...].trimmed), in: place)
    }
    return word
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

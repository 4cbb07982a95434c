// Logbooks that were moved aside. A file next to each damaged one says that it still has to be read,
// and another one what came of it.

package import Linux

package enum MovedLogbooks {
  private static let unread = ".unread"
  private static let report = ".report"

  enum Reason: String {
    case damaged, newer
  }

  private static let most = 1000

  /// Renames the file and its log. Returns the new path.
  static func moveAside(_ path: String, _ reason: Reason) throws(SystemError) -> String? {
    for number in 1...most where !Files.exists("\(path).\(reason)-\(number)") {
      let place = "\(path).\(reason)-\(number)"
      if reason == .damaged { try Files.replace(place + unread, with: [], mode: 0o600) }
      // The log first: without its file, it is of no use to a new one of the same name.
      for suffix in ["-wal", "-shm", ""] where Files.exists(path + suffix) {
        try Files.rename(path + suffix, to: place + suffix)
      }
      return place
    }
    return nil
  }

  /// The last file of a newer release that is still there.
  package static func newer(than path: String) -> String? { places(of: path, .newer).last }

  /// The damaged files of a logbook that were not read yet, the oldest first.
  package static func unread(of path: String) -> [String] {
    places(of: path, .damaged, with: unread)
  }

  /// The file was read. The text says with what success.
  package static func finish(_ place: String, report text: String) throws(SystemError) {
    try Files.replace(place + report, with: Array(text.utf8), mode: 0o600)
    try Files.remove(place + unread)
  }

  /// What came of the last one that is still there.
  package static func lastReport(of path: String) -> String? {
    guard let place = places(of: path, .damaged, with: report).last,
      let text = try? Files.read(place + report, atMost: 4096)
    else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private static func places(of path: String, _ reason: Reason, with suffix: String = "") -> [String] {
    let folder = Files.parent(of: path)
    let start = path.dropFirst(folder.utf8.count + (folder == "/" ? 0 : 1)) + ".\(reason)-"
    let names = (try? Files.names(in: folder)) ?? []
    let numbers = names.compactMap { name -> Int? in
      guard name.hasPrefix(start), name.hasSuffix(suffix) else { return nil }
      return Int(name.dropFirst(start.count).dropLast(suffix.count))
    }
    return numbers.sorted().map { "\(path).\(reason)-\($0)" }.filter { Files.exists($0) }
  }
}

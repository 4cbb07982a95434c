// A file of the state directory: JSON with a version, replaced as a whole. One that is torn, or written by a newer daemon, is set aside,
// said, and never overwritten; so is one that cannot be read.

import Linux
import Wire

final class StateFile {
  private let path: String
  private let version: Int
  /// What is so where it says nothing: "no paired sensors are known".
  private let consequence: String
  private let log: Log
  /// Whether there was one to read: false on the very first start.
  private(set) var wasFound = true
  /// Why there may be a file whose content nobody has seen: nothing is written over it.
  private var obstacle: SystemError?
  /// The last time could not be written.
  private var isFailing = false

  init(_ path: String, version: Int, otherwise consequence: String, log: Log) {
    self.path = path
    self.version = version
    self.consequence = consequence
    self.log = log
  }

  /// What stands in it, of a version that this daemon reads.
  func load() -> JSON? {
    let content: [UInt8]
    do throws(SystemError) {
      content = try Files.read(path)
    } catch {
      wasFound = !error.isMissingFile
      guard wasFound else { return nil }
      obstacle = error
      log.error("what was remembered cannot be read, and \(consequence): \(error)")
      return nil
    }
    guard let json = try? JSON.parse(content), let written = json["version"]?.integer else {
      setAside("is damaged")
      return nil
    }
    guard written <= version else {
      setAside("was written by a newer release (format \(written))")
      return nil
    }
    return json
  }

  /// What could not be written is not pretended to be remembered.
  func save(_ writeMembers: (inout JSONWriter) -> Void) throws(SystemError) {
    if let obstacle { throw obstacle }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", version)
    writeMembers(&writer)
    writer.endObject()
    writer.endLine()
    try Files.replace(path, with: writer.bytes, mode: 0o600)
  }

  /// For what is written again and again, and nobody waits for; whether it was. A failure is told once: a full disk would say it every
  /// half minute.
  func keep(_ what: String, _ writeMembers: (inout JSONWriter) -> Void) -> Bool {
    do throws(SystemError) {
      try save(writeMembers)
      isFailing = false
    } catch {
      if !isFailing { log.error("\(what) cannot be saved: \(error)") }
      isFailing = true
    }
    return !isFailing
  }

  func setAside(_ what: String) {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.rename(path, to: aside)
      log.error("\(path) \(what): it is kept as \(aside), and \(consequence)")
    } catch {
      obstacle = error
      log.error("\(path) \(what), and it cannot be set aside: \(error)")
    }
  }

  /// Its good part is used, and the file as it was is kept beside. Whether that could be.
  func keepCopy(_ what: String) -> Bool {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.replace(aside, with: try Files.read(path), mode: 0o600)
      log.error("\(path) \(what): the others are used, and it is kept as \(aside)")
      return true
    } catch {
      obstacle = error
      log.error("\(path) \(what), and no copy can be kept: \(error)")
      return false
    }
  }

  private func unusedName() -> String {
    var number = 1
    while Files.exists("\(path).damaged-\(number)") { number += 1 }
    return "\(path).damaged-\(number)"
  }
}

// A file of the state directory: JSON with a version, always replaced as a whole. A file that is
// damaged or was written by a newer release is set aside with a log line. A file that cannot be
// read is never overwritten.

public import JSON
public import Linux

public final class StateFile {
  private let path: String
  private let version: Int
  /// What follows if there is no usable file, for the log: "no paired sensors are known".
  private let consequence: String
  /// Collects the contents of several files that change together.
  private let change: StateChange?
  private let log: Log
  /// False on the very first start.
  public private(set) var wasFound = true
  /// Why the file could not be read or set aside. It is then not overwritten.
  private var obstacle: SystemError?
  /// Whether the last `keep` failed.
  private var isFailing = false

  public init(
    _ path: String, version: Int, fallback consequence: String, change: StateChange? = nil, log: Log
  ) {
    self.path = path
    self.version = version
    self.consequence = consequence
    self.change = change
    self.log = log
  }

  /// Reads the file, if this release can read its version.
  public func load() -> JSONValue? {
    let content: [UInt8]
    do throws(SystemError) {
      content = try Files.read(path)
    } catch {
      wasFound = !error.isMissingFile
      guard wasFound else { return nil }
      obstacle = error
      log.error("cannot read saved state, so \(consequence): \(error)")
      return nil
    }
    guard let json = try? JSONValue.parse(content), let written = json["version"]?.integer else {
      quarantine("is damaged")
      return nil
    }
    guard written <= version else {
      quarantine("was written by a newer release (format \(written))")
      return nil
    }
    return json
  }

  /// Throws if the file cannot be written, so that callers do not report a change that was not
  /// saved.
  public func save(_ writeMembers: (inout JSONWriter) -> Void) throws(SystemError) {
    if let obstacle { throw obstacle }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", version)
    writeMembers(&writer)
    writer.endObject()
    writer.endLine()
    if change?.collect(path, writer.bytes) == true { return }
    try Files.replace(path, with: writer.bytes, mode: 0o600)
  }

  /// Saves data that is written periodically; returns whether it was saved. A failure is logged
  /// once, or a full disk would log it every half minute.
  public func keep(_ what: String, _ writeMembers: (inout JSONWriter) -> Void) -> Bool {
    do throws(SystemError) {
      try save(writeMembers)
      isFailing = false
    } catch {
      if !isFailing { log.error("\(what) cannot be saved: \(error)") }
      isFailing = true
    }
    return !isFailing
  }

  public func quarantine(_ what: String) {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.rename(path, to: aside)
      log.error("\(path) \(what): renamed it to \(aside); \(consequence)")
    } catch {
      obstacle = error
      log.error("\(path) \(what), and cannot be renamed: \(error)")
    }
  }

  /// Keeps a copy of the file, as only a part of it can be used. Returns whether that worked.
  public func keepCopy(_ what: String) -> Bool {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.replace(aside, with: try Files.read(path), mode: 0o600)
      log.error("\(path) \(what): using the other entries; a copy is kept as \(aside)")
      return true
    } catch {
      obstacle = error
      log.error("\(path) \(what), and cannot be copied: \(error)")
      return false
    }
  }

  private func unusedName() -> String {
    var number = 1
    while Files.exists("\(path).damaged-\(number)") { number += 1 }
    return "\(path).damaged-\(number)"
  }
}

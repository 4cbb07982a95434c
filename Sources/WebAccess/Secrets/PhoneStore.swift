// The paired screens, saved in the state directory. Only the digests of their tokens are kept, so
// the file does not let anyone in.

import Digests
import HTTP
import JSON
import Linux
public import ProgramKit
public import Time

public final class PhoneStore {
  static let version = 1
  static let capacity = 32
  /// How often the last uses are saved. A sync can take a second, in which nothing else is served.
  static let saveInterval = Duration.seconds(600)

  private struct Entry {
    var phone: Phone
    let digest: SHA256
  }

  private var entries: [Entry] = []
  private var nextID = 1
  /// Whether there are uses that are not saved.
  private var hasNewUses = false
  private var lastSave: MonotonicTime?
  private let file: StateFile
  private let random: (Int) -> [UInt8]

  /// `random` makes so many random bytes.
  public init(folder: String, file: String, log: Log, random: @escaping (Int) -> [UInt8]) {
    self.file = StateFile(folder + "/" + file, version: Self.version, fallback: "no screen is paired", log: log)
    self.random = random
    load()
  }

  public var all: [Phone] { entries.map(\.phone) }

  /// The phone with this token. Each is compared, so that the time does not depend on which it is.
  func holder(of token: Secret) -> Phone? {
    let digest = token.digest
    var found: Phone?
    for entry in entries where entry.digest == digest { found = entry.phone }
    return found
  }

  /// Throws if the list is full or the file cannot be written.
  func add(_ invitation: Invitation, at time: WallTime?) throws(AccessRefusal) -> (Phone, Secret) {
    var kept = entries
    if invitation.replacesNamesakes { kept.removeAll { $0.phone.name == invitation.name } }
    guard kept.count < Self.capacity else {
      throw AccessRefusal(.conflict, "\(Self.capacity) screens are paired already: revoke one")
    }
    let token = Secret(random: random(Phone.tokenLength))
    let phone = Phone(id: nextID, invitation, created: time)
    try save(kept + [Entry(phone: phone, digest: token.digest)], nextID: nextID + 1)
    return (phone, token)
  }

  /// Its token is refused from now on. Streams that are open are the caller's to close.
  public func revoke(_ id: Int) throws(AccessRefusal) -> Phone {
    guard let entry = entries.first(where: { $0.phone.id == id }) else {
      throw AccessRefusal(.notFound, "no screen with the id \(id) is paired")
    }
    try save(entries.filter { $0.phone.id != id }, nextID: nextID)
    return entry.phone
  }

  func recordUse(of id: Int, at time: WallTime?) {
    guard let time, let index = entries.firstIndex(where: { $0.phone.id == id }) else { return }
    entries[index].phone.recordUse(at: time)
    hasNewUses = true
  }

  /// Saves when screens were last used, if that was not done for a while. The service calls this at
  /// a good moment, and with `isEnding` before it ends.
  public func saveUses(now: MonotonicTime, isEnding: Bool = false) {
    let isDue = lastSave.map { now - $0 >= Self.saveInterval } ?? true
    guard hasNewUses, isDue || isEnding else { return }
    lastSave = now
    if file.keep("the last use of screens", { Self.write(entries, nextID, &$0) }) { hasNewUses = false }
  }
}

// MARK: The file

extension PhoneStore {
  private func save(_ new: [Entry], nextID id: Int) throws(AccessRefusal) {
    do throws(SystemError) {
      try file.save { Self.write(new, id, &$0) }
    } catch {
      throw AccessRefusal(.internalError, "the list of paired screens cannot be saved: \(error)")
    }
    (entries, nextID, hasNewUses) = (new, id, false)
  }

  private static func write(_ entries: [Entry], _ nextID: Int, _ writer: inout JSONWriter) {
    writer.member("next_id", nextID)
    writer.member("phones")
    writer.beginArray()
    for entry in entries {
      writer.beginObject()
      entry.phone.writeMembers(into: &writer)
      writer.member("sha256", entry.digest.hex)
      writer.endObject()
    }
    writer.endArray()
  }

  private func load() {
    guard let json = file.load() else { return }
    guard let items = json["phones"]?.items, let next = json["next_id"]?.integer, next > 0 else {
      return file.quarantine("is damaged")
    }
    entries = items.prefix(Self.capacity).compactMap { item in
      guard let phone = Phone(item), let digest = item["sha256"]?.text.flatMap(SHA256.init) else { return nil }
      return Entry(phone: phone, digest: digest)
    }
    nextID = max(next, (entries.map(\.phone.id).max() ?? 0) + 1)
    if entries.count < items.count { _ = file.keepCopy("has damaged entries") }
  }
}

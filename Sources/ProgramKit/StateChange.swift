// A change of several state files, made as a whole: after a power cut, all of them are changed or
// none. The new contents are first written to one file. From then on the change counts: if it is
// interrupted, the next start completes it.

import JSON
public import Linux

public final class StateChange {
  private struct File {
    let name: String
    let content: [UInt8]
  }

  private static let version = 1
  private let folder: String
  private let path: String
  private let log: Log
  /// The new contents, while a change is being prepared.
  private var files: [File]?
  /// The files that a failed commit has replaced.
  private var replaced: Set<String> = []

  /// Completes a change that was interrupted. Create it before the state files are read.
  public init(in folder: String, file: String, log: Log) {
    self.folder = folder
    path = folder + "/" + file
    self.log = log
    complete()
  }

  /// From now on, files that belong to this change collect their contents instead of writing them.
  public func begin() {
    files = []
  }

  /// Writes all contents. If this throws, the caller begins again, saves the old contents, and
  /// calls `undo`.
  public func commit() throws(SystemError) {
    let files = take()
    guard !files.isEmpty else { return }
    try prepare(files)
    for file in files {
      try write(file)
      replaced.insert(file.name)
    }
    try Files.remove(path)
    replaced = []
  }

  /// Writes the old contents of the files that a failed commit has replaced. Returns false if that
  /// failed too: the next start then makes the whole change.
  public func undo() -> Bool {
    let old = take()
    do throws(SystemError) {
      for file in old where replaced.contains(file.name) { try write(file) }
      if Files.exists(path) { try Files.remove(path) }
      replaced = []
      return true
    } catch {
      return false
    }
  }

  private func take() -> [File] {
    defer { files = nil }
    return files ?? []
  }

  /// Returns false if no change is being prepared.
  func collect(_ path: String, _ content: [UInt8]) -> Bool {
    guard files != nil, Files.parent(of: path) == folder else { return false }
    let name = String(path.dropFirst(folder.utf8.count + 1))
    files?.removeAll { $0.name == name }
    files?.append(File(name: name, content: content))
    return true
  }

  private func prepare(_ files: [File]) throws(SystemError) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", Self.version)
    writer.member("files")
    writer.beginArray()
    for file in files {
      writer.beginObject()
      writer.member("name", file.name)
      writer.member("content", String(decoding: file.content, as: UTF8.self))
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try Files.replace(path, with: writer.bytes, mode: 0o600)
  }

  private func write(_ file: File) throws(SystemError) {
    try Files.replace(folder + "/" + file.name, with: file.content, mode: 0o600)
  }

  private func complete() {
    guard Files.exists(path) else { return }
    do throws(SystemError) {
      guard let files = Self.files(in: try Files.read(path)) else {
        log.error("\(path) is damaged or was written by a newer release: it is ignored")
        return
      }
      for file in files { try write(file) }
      try Files.remove(path)
      log.info("completed an interrupted change of the saved state (\(files.count) files)")
    } catch {
      log.error("cannot complete an interrupted change of the saved state: \(error)")
    }
  }

  private static func files(in content: [UInt8]) -> [File]? {
    guard let json = try? JSONValue.parse(content), json["version"]?.integer == version,
      let items = json["files"]?.items
    else { return nil }
    let files = items.compactMap { item -> File? in
      guard let name = item["name"]?.text, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")),
        let content = item["content"]?.text
      else { return nil }
      return File(name: name, content: Array(content.utf8))
    }
    return files.count == items.count ? files : nil
  }
}

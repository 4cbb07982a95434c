// The files of the page, read when the server starts or is reloaded. They are served below the digest
// of them all, so that a browser may keep them for ever and never mixes two releases. Nothing of a
// request becomes the path of a file: names are looked up here.

import Digests
import HTTP
import Linux

struct PageFolder {
  struct File {
    let type: String
    let bytes: [UInt8]
    /// The same, compressed; nil if it was not installed.
    let gzip: [UInt8]?
    let tag: String
  }

  /// Of all files; part of their path.
  let hash: String
  /// By their paths within the folder.
  private(set) var files: [String: File] = [:]

  private static let mostFiles = 1000
  private static let mostBytes = 8 << 20
  /// What pages are made of. Others, such as the scripts that make them, are not served.
  private static let types: [(ending: String, type: String)] = [
    (".html", "text/html; charset=utf-8"), (".css", "text/css; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"), (".json", "application/json"),
    (".webmanifest", "application/manifest+json"), (".svg", "image/svg+xml"), (".png", "image/png"),
    (".txt", "text/plain; charset=utf-8"),
  ]
  /// These have an address of their own, and name the others by their path within the folder, or by
  /// `/f/0/` and that path.
  private static let entries = ["index.html", "manifest.webmanifest", "service-worker.js"]
  private static let placeholder = Array("/f/0/".utf8)

  init(_ folder: String) throws(SystemError) {
    var found: [(path: String, bytes: [UInt8])] = []
    try Self.read(folder, "", &found)
    // With the lengths, so that no two folders have the same digest.
    let summary = found.map { "\($0.path) \($0.bytes.count) \(SHA256(of: $0.bytes).hex)\n" }.joined()
    hash = String(SHA256(of: Array(summary.utf8)).hex.prefix(16))
    let all = Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.bytes) })
    for (path, bytes) in found {
      guard let type = Self.types.first(where: { path.hasSuffix($0.ending) })?.type else { continue }
      let isEntry = Self.entries.contains(path)
      let served = isEntry ? Self.rewritten(bytes, all, hash) : bytes
      files[path] = File(
        type: type, bytes: served, gzip: isEntry ? nil : all[path + ".gz"],
        tag: "\"\(SHA256(of: served).hex.prefix(32))\"")
    }
  }

  private static func read(
    _ folder: String, _ prefix: String, _ found: inout [(path: String, bytes: [UInt8])]
  ) throws(SystemError) {
    for name in try Files.names(in: folder) where !name.hasPrefix(".") && found.count < mostFiles {
      let path = folder + "/" + name
      if Files.isDirectory(path) {
        try read(path, prefix + name + "/", &found)
      } else {
        found.append((prefix + name, try Files.read(path, atMost: mostBytes)))
      }
    }
  }

  /// A path in quotes that is one of a file, and the placeholder, become addresses.
  private static func rewritten(_ bytes: [UInt8], _ files: [String: [UInt8]], _ hash: String) -> [UInt8] {
    let address = Array("/f/\(hash)/".utf8)
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: placeholder) {
        result += address
        place += placeholder.count
        continue
      }
      result.append(bytes[place])
      place += 1
      guard result.last == UInt8(ascii: "\""), let end = bytes[place...].firstIndex(of: UInt8(ascii: "\"")),
        files[String(decoding: bytes[place..<end], as: UTF8.self)] != nil
      else { continue }
      result += address
    }
    return result
  }
}

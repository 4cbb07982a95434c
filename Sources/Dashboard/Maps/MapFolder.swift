// The tile sets of the state folder: files NAME.mbtiles. Each was checked before it is used, also one
// that an administrator put there.

import Linux
import ProgramKit
import TileSets
import Wire

/// A tile set that pages can show.
final class DashboardMap {
  let name: String
  let bytes: Int
  /// Of the file.
  let revision: String
  let tiles: TileSet
  /// Whether a damaged tile was logged: one line is enough.
  private var hasLogged = false

  fileprivate init(name: String, bytes: Int, revision: String, tiles: TileSet) {
    (self.name, self.bytes, self.revision, self.tiles) = (name, bytes, revision, tiles)
  }

  func logDamage(_ problem: TileSetProblem, _ log: Log) {
    if hasLogged { return }
    hasLogged = true
    log.warning("map \(name): a tile cannot be read (\(problem))")
  }
}

final class MapFolder {
  static let mostMaps = 8
  static let longestName = 32
  private static let ending = ".mbtiles"
  /// Rides are recorded on the same device.
  private static let spared: Int64 = 256 << 20

  private let folder: String
  private let log: Log
  /// By name.
  private(set) var maps: [DashboardMap] = []
  private var isReceiving = false
  /// Called when there are other maps than before.
  var changed: () -> Void = {}

  init(_ folder: String, log: Log) { (self.folder, self.log) = (folder, log) }

  /// Of a file that is being received.
  private var uploadPath: String { folder + "/upload" }

  func map(named name: String) -> DashboardMap? { maps.first { $0.name == name } }

  /// Reads the folder again. A set whose file is the same stays open.
  func load() {
    do throws(SystemError) {
      try Files.createDirectory(folder, mode: 0o750)
      removeLeftUpload()
      let found = try files().compactMap { file in
        let name = String(file.dropLast(Self.ending.utf8.count))
        if let map = map(named: name), map.revision == Files.revision(of: path(name)) { return map }
        return open(name)
      }
      maps = Array(found.prefix(Self.mostMaps))
      for map in found.dropFirst(Self.mostMaps) {
        log.warning("map \(map.name): left out, because there are at most \(Self.mostMaps) maps")
      }
      changed()
    } catch {
      log.warning("maps: \(folder) cannot be read (\(error))")
    }
  }

  /// Also those that cannot be used.
  private func files() throws(SystemError) -> [String] {
    try Files.names(in: folder).filter { $0.hasSuffix(Self.ending) }.sorted()
  }

  private func path(_ name: String) -> String { folder + "/" + name + Self.ending }

  private func open(_ name: String) -> DashboardMap? {
    guard Self.isName(name) else {
      log.warning("map \(name): left out, because a name has only a to z, digits and hyphens")
      return nil
    }
    let path = path(name)
    do throws(TileSetProblem) {
      return DashboardMap(
        name: name, bytes: Int(Files.size(of: path) ?? 0), revision: Files.revision(of: path) ?? "",
        tiles: try TileSet(path))
    } catch {
      log.warning("map \(name): left out, because \(error)")
      return nil
    }
  }

  /// Names are a part of paths and addresses.
  private static func isName(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "-")
    }
    return isPlain && 1...longestName ~= name.utf8.count
  }

  /// Whether a file of this name and size can be added.
  private func check(_ name: String, bytes: Int) throws(Refusal) {
    guard Self.isName(name) else {
      throw Refusal(.badRequest, "name has 1 to \(Self.longestName) of a to z, digits and hyphens")
    }
    guard map(named: name) == nil else {
      throw Refusal(.duplicate, "there is already a map \(name): remove it first")
    }
    let (count, space): (Int, Int64)
    do throws(SystemError) {
      (count, space) = (try files().count, try Files.space(at: folder) - Self.spared)
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
    guard !Files.exists(path(name)) else {
      throw Refusal(.duplicate, "\(path(name)) cannot be used: remove this file, or choose another name")
    }
    guard count < Self.mostMaps else {
      throw Refusal(reached: .maps, "there are at most \(Self.mostMaps) maps: remove one first")
    }
    guard space >= Int64(bytes) else {
      throw Refusal(.storage, "there is not enough space for \(bytes >> 20) MiB; recordings go first")
    }
  }

  // MARK: An upload at a time

  /// Left by a process that was killed. It takes the space that the next map needs.
  private func removeLeftUpload() {
    guard !isReceiving, Files.exists(uploadPath) else { return }
    do throws(SystemError) {
      try Files.remove(uploadPath)
      log.info("maps: removed a file that was not complete")
    } catch {
      log.warning("maps: \(uploadPath) cannot be removed (\(error))")
    }
  }

  /// The file to write into, until `endUpload`.
  func beginUpload(_ name: String, bytes: Int) throws(Refusal) -> FileDescriptorBox {
    removeLeftUpload()
    try check(name, bytes: bytes)
    do throws(SystemError) {
      let file = FileDescriptorBox(try Files.create(uploadPath, mode: 0o640))
      isReceiving = true
      return file
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
  }

  func endUpload() {
    isReceiving = false
    if Files.exists(uploadPath) { try? Files.remove(uploadPath) }
  }

  /// Checks the uploaded file, and uses it.
  func addUpload(as name: String) throws(Refusal) -> DashboardMap {
    do throws(TileSetProblem) {
      _ = try TileSet(uploadPath)
    } catch {
      throw Refusal(.badFile, "the file cannot be used: \(error)")
    }
    do throws(SystemError) {
      try Files.rename(uploadPath, to: path(name))
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
    guard let map = open(name) else { throw Refusal(.badFile, "the file changed while it was checked") }
    maps.append(map)
    maps.sort { $0.name < $1.name }
    log.info("map \(name): added")
    changed()
    return map
  }

  func remove(_ name: String) throws(Refusal) {
    guard let place = maps.firstIndex(where: { $0.name == name }) else {
      throw Refusal(.noSuchMap, "there is no map \(String(name.prefix(64)))")
    }
    do throws(SystemError) {
      try Files.remove(path(name))
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
    maps.remove(at: place)
    log.info("map \(name): removed")
    changed()
  }
}

// The folders with the files of declared sensors. A file that cannot be read is reported, and the
// others are read.

public import DeclaredSensors
import Linux

public struct SensorFileFolders: Equatable, Sendable {
  /// Nil if files of packages are not used.
  public let packages: String?
  /// Files of the owner of the computer, which win.
  public let owner: String

  public static let packages = "/usr/share/cyclometer/sensors.d"
  public static let owner = "/etc/cyclometer/sensors.d"

  /// `owner`: another folder in the place of the owner's.
  public init(packages: String? = SensorFileFolders.packages, owner: String = SensorFileFolders.owner) {
    self.packages = packages
    self.owner = owner
  }

  public func path(of file: DeclaredSensorSet.File) -> String {
    switch file.folder {
    case .packages: "\(packages ?? "")/\(file.name)"
    case .owner: "\(owner)/\(file.name)"
    }
  }

  /// The path of a file of packages, if there is one of that name.
  func packagedPath(of name: String) -> String? {
    packages.map { "\($0)/\(name)" }.flatMap { Files.exists($0) ? $0 : nil }
  }

  /// The files, and why a folder could not be listed. A folder that does not exist has no files.
  func read() -> (files: [DeclaredSensorSet.File], obstacles: [FolderObstacle]) {
    var obstacles: [FolderObstacle] = []
    let owned = names(in: owner, &obstacles)
    let packaged = packages.map { names(in: $0, &obstacles) } ?? []
    let all = Set(owned + packaged).sorted()
    // Longer than a file may be, so that the reader sees that it is too long. Most daemons have no files.
    var chunk = all.isEmpty ? [] : [UInt8](repeating: 0, count: SensorFile.mostBytes + 1)
    var files: [DeclaredSensorSet.File] = []
    for name in all {
      let folder = owned.contains(name) ? DeclaredSensorSet.Folder.owner : .packages
      if files.count >= DeclaredSensorSet.mostFiles {
        files.append(DeclaredSensorSet.File(name, in: folder, obstacle: DeclaredSensorSet.tooManyFiles))
        continue
      }
      do throws(SystemError) {
        let path = path(of: DeclaredSensorSet.File(name, in: folder, []))
        files.append(DeclaredSensorSet.File(name, in: folder, try Self.content(of: path, &chunk)))
      } catch {
        files.append(DeclaredSensorSet.File(name, in: folder, obstacle: "cannot read it: \(error.reason)"))
      }
    }
    return (files, obstacles)
  }

  private func names(in folder: String, _ obstacles: inout [FolderObstacle]) -> [String] {
    do throws(SystemError) {
      return try Files.names(in: folder).filter {
        // Editors keep files whose names begin with a dot beside the one that they edit.
        $0.hasSuffix(DeclaredSensorSet.suffix) && !$0.hasPrefix(".")
      }
    } catch {
      obstacles.append(FolderObstacle(folder: folder, reason: error.reason))
      return []
    }
  }

  /// At most the length of `chunk`. Does not wait for a pipe.
  private static func content(of path: String, _ chunk: inout [UInt8]) throws(SystemError) -> [UInt8] {
    let file = try Files.openForReading(path)
    var content: [UInt8] = []
    while content.count < chunk.count, case .done(let count) = try file.read(into: &chunk), count > 0 {
      content += chunk[..<min(count, chunk.count - content.count)]
    }
    return content
  }
}

/// A folder that exists and cannot be listed.
public struct FolderObstacle: Equatable, Sendable {
  public let folder: String
  public let reason: String
}

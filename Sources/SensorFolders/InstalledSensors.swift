// All sensors of a computer: the built-in ones, and those that files declare.

public import DeclaredSensors
public import SensorKit

public struct InstalledSensors: Sendable {
  public let folders: SensorFileFolders
  /// The declared sensors, and the files that were left out.
  public let declared: DeclaredSensorSet
  public let obstacles: [FolderObstacle]
  /// All plugins in their order.
  public let registry: PluginRegistry

  /// Reads the folders. Files that are in `earlier` with the same content keep their plugins.
  /// `words` must be the same each time, because the words of a file last as long as the program.
  public init(
    in folders: SensorFileFolders, builtIn: PluginRegistry, words: SensorWords, earlier: InstalledSensors? = nil
  ) {
    let (files, obstacles) = folders.read()
    self.folders = folders
    self.obstacles = obstacles
    declared = DeclaredSensorSet(files, builtIn: builtIn, words: words, earlier: earlier?.declared)
    registry = declared.plugins(with: builtIn)
  }

  /// The path of the file that declares a plugin; nil for a built-in one.
  public func path(of plugin: String) -> String? {
    declared.loaded.first { $0.program.info.id == plugin }.map { folders.path(of: $0.file) }
  }

  /// What was left out: folders that cannot be listed, then files in the order of their names.
  public var omissions: [Omission] {
    obstacles.map { Omission(path: $0.folder, problems: [SensorFileProblem(line: 1, "cannot read it: \($0.reason)")]) }
      + declared.omitted.map { Omission(path: folders.path(of: $0.file), problems: $0.problems) }
  }

  /// All problems with their places: `/etc/…/strap.sensor:3: …`.
  public var problems: [String] {
    omissions.flatMap { omission in omission.problems.map { "\(omission.path):\($0)" } }
  }
}

/// A file or folder that was left out.
public struct Omission: Equatable, Sendable {
  public let path: String
  /// Empty for a file that the owner switched off.
  public let problems: [SensorFileProblem]
}

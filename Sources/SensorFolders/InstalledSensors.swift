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

  /// Why files were left out, in the order of their names: `/etc/…/strap.sensor:3: …`. Files that the
  /// owner switched off are not among them.
  public var problems: [String] {
    obstacles.map { "\($0.folder): cannot read it: \($0.reason)" }
      + declared.omitted.flatMap { omitted in
        omitted.problems.map { "\(folders.path(of: omitted.file)):\($0)" }
      }
  }
}

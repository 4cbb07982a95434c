// The plugins of the daemon: those that are built in, and those that files declare. The files are
// read at the start, and again when the configuration is.

import DeclaredSensors
public import ProgramKit
public import SensorFolders
public import SensorKit

public final class PluginKeeper {
  public let shelf: PluginShelf
  /// Nil without folders.
  private(set) var installed: InstalledSensors?
  private let builtIn: PluginRegistry
  private let folders: SensorFileFolders?
  private let words = SensorWords()
  private let log: Log

  /// Without folders, only the built-in plugins exist.
  public init(_ builtIn: PluginRegistry, filesIn folders: SensorFileFolders? = nil, log: Log) {
    self.builtIn = builtIn
    self.folders = folders
    self.log = log
    shelf = PluginShelf(builtIn)
    read()
  }

  /// Reads the files again. Files that did not change keep their plugins.
  func read() {
    guard let folders else { return }
    let new = InstalledSensors(in: folders, builtIn: builtIn, words: words, earlier: installed)
    shelf.replace(with: new.registry)
    logProblems(of: new)
    let count = new.declared.loaded.count
    if count != (installed?.declared.loaded.count ?? 0) { log.info("sensors declared in files: \(count)") }
    installed = new
  }

  private func logProblems(of new: InstalledSensors) {
    for file in new.omissions {
      // The log limits the lines of each file for itself.
      let field = LogField.file(file.path)
      for problem in file.problems.prefix(Self.mostProblems) { log.error("\(file.path):\(problem)", field) }
      let rest = file.problems.count - Self.mostProblems
      if rest > 0 {
        log.error("\(file.path): \(rest) more problems: run 'cyclo plugin check' for all of them", field)
      }
    }
  }

  /// More of a file say little, and would fill the log.
  static let mostProblems = 8
}

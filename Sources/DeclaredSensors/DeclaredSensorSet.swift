// All declared sensors of a computer, and the order of all plugins. A file with a problem is left
// out whole, and the others stay.

public import SensorKit

public struct DeclaredSensorSet: Sendable {
  public static let mostFiles = 64
  public static let suffix = ".sensor"
  public static let tooManyFiles = "at most \(mostFiles) files are read"

  /// Where a file is.
  public enum Folder: Sendable, Equatable {
    /// Of packages: /usr/share/cyclometer/sensors.d
    case packages
    /// Of the owner of the computer: /etc/cyclometer/sensors.d
    case owner
  }

  public struct File: Sendable {
    public let name: String
    public let folder: Folder
    public let content: [UInt8]
    /// Why it could not be read.
    let obstacle: String?

    public init(_ name: String, in folder: Folder, _ content: [UInt8]) {
      self.name = name
      self.folder = folder
      self.content = content
      obstacle = nil
    }

    public init(_ name: String, in folder: Folder, obstacle: String) {
      self.name = name
      self.folder = folder
      content = []
      self.obstacle = obstacle
    }
  }

  public struct Loaded: Sendable {
    public let file: File
    public let program: SensorProgram
    public let plugin: Plugin
  }

  public struct Omitted: Sendable {
    public let file: File
    /// Empty for a file that the owner switched off.
    public let problems: [SensorFileProblem]
  }

  /// In the order of their names.
  public private(set) var loaded: [Loaded] = []
  public private(set) var omitted: [Omitted] = []

  /// Reads files. Those that are in `earlier` with the same content keep its program.
  public init(_ files: [File], builtIn: PluginRegistry, words: SensorWords, earlier: DeclaredSensorSet? = nil) {
    let builtInIDs = builtIn.plugins.map(\.info.id)
    for (index, file) in Self.effective(files).enumerated() {
      if let obstacle = file.obstacle {
        omit(file, [SensorFileProblem(line: 1, obstacle)])
        continue
      }
      guard !file.content.isEmpty || file.folder == .packages else {
        omitted.append(Omitted(file: file, problems: []))
        continue
      }
      guard index < Self.mostFiles else {
        omit(file, [SensorFileProblem(line: 1, Self.tooManyFiles)])
        continue
      }
      do throws(SensorFile.Problems) {
        let known = earlier?.loaded(file)
        let program: SensorProgram
        if let known {
          program = known.program
        } else {
          program = try SensorFile(file.content, words: words).program
        }
        try check(program, file, builtInIDs)
        loaded.append(known ?? Loaded(file: file, program: program, plugin: plugin(of: program, builtIn)))
      } catch {
        omit(file, error.list)
      }
    }
  }

  /// The built-in plugins that no file replaces, with the replacements in their places, and then the
  /// other files.
  public func plugins(with builtIn: PluginRegistry) -> PluginRegistry {
    var plugins = builtIn.plugins.map { plugin in
      loaded.first { $0.program.about.replaces == plugin.info.id }?.plugin ?? plugin
    }
    plugins += loaded.filter { $0.program.about.replaces == nil }.map(\.plugin)
    return PluginRegistry(plugins, quirks: builtIn.quirks)
  }

  private mutating func omit(_ file: File, _ problems: [SensorFileProblem]) {
    omitted.append(Omitted(file: file, problems: problems))
  }

  /// The same file, if it was loaded.
  private func loaded(_ file: File) -> Loaded? {
    loaded.first { $0.file.name == file.name && $0.file.folder == file.folder && $0.file.content == file.content }
  }

  private func plugin(of program: SensorProgram, _ builtIn: PluginRegistry) -> Plugin {
    let replaced = builtIn.plugins.first { $0.info.id == program.about.replaces }
    return replaced.map { program.plugin(inPlaceOf: $0.info) } ?? program.plugin
  }

  /// A file of the owner replaces one of the same name.
  private static func effective(_ files: [File]) -> [File] {
    let named = files.filter { $0.name.hasSuffix(suffix) }
    let owned = Set(named.filter { $0.folder == .owner }.map(\.name))
    return named.filter { $0.folder == .owner || !owned.contains($0.name) }.sorted { $0.name < $1.name }
  }

  private func check(_ program: SensorProgram, _ file: File, _ builtIn: [String]) throws(SensorFile.Problems) {
    let id = program.info.id
    var problems: [SensorFileProblem] = []
    if let replaced = program.about.replaces {
      let line = program.about.replacesLine
      if file.folder != .owner {
        problems.append(SensorFileProblem(line: line, "Replaces: only a file in /etc replaces a built-in plugin"))
      }
      if !builtIn.contains(replaced) {
        problems.append(
          SensorFileProblem(line: line, "Replaces: the built-in plugins are \(builtIn.joined(separator: ", "))"))
      }
      if let other = loaded.first(where: { $0.program.about.replaces == replaced }) {
        problems.append(SensorFileProblem(line: line, "Replaces: \(other.file.name) replaces \(replaced) already"))
      }
    }
    if let other = loaded.first(where: { $0.program.info.id == id }) {
      problems.append(SensorFileProblem(line: program.about.idLine, "Id = \(id): \(other.file.name) has this id"))
    } else if builtIn.contains(id), program.about.replaces != id {
      problems.append(SensorFileProblem(line: program.about.idLine, "Id = \(id): a built-in plugin has this id"))
    }
    if !problems.isEmpty { throw SensorFile.Problems(problems) }
  }
}

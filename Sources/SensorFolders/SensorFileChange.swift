// Installing and removing the file of a sensor in the owner's folder: what has to be written, and
// what that has as a consequence.

public import DeclaredSensors
public import SensorKit

extension InstalledSensors {
  /// What is wrong with a new file among the installed ones, such as an id that another file has.
  public func problems(
    ofNew name: String, _ content: [UInt8], builtIn: PluginRegistry, words: SensorWords
  ) -> [SensorFileProblem] {
    let others = (declared.loaded.map(\.file) + declared.omitted.map(\.file)).filter { $0.name != name }
    // As the last file, so that it takes nothing from a file whose name comes later.
    let last = "\u{10ffff}\(name)"
    let new = DeclaredSensorSet.File(last, in: .owner, content)
    let all = DeclaredSensorSet(others + [new], builtIn: builtIn, words: words, earlier: declared)
    return all.omitted.filter { $0.file.name == last }.flatMap(\.problems)
  }

  /// What removes a sensor. `name` is the name of a file, with or without its ending, or the id of a
  /// sensor.
  public func removal(of name: String) -> SensorFileRemoval? {
    let files =
      declared.loaded.map { (file: $0.file, id: Optional($0.program.info.id)) }
      + declared.omitted.map { (file: $0.file, id: nil) }
    let suffix = DeclaredSensorSet.suffix
    let found =
      files.first { $0.file.name == name || $0.file.name == name + suffix } ?? files.first { $0.id == name }
    guard let file = found?.file else { return nil }
    let path = "\(folders.owner)/\(file.name)"
    if file.folder == .packages { return .switchOff(path: path, packaged: folders.path(of: file)) }
    let packaged = folders.packagedPath(of: file.name)
    if let packaged, file.content.isEmpty { return .none(path: path, packaged: packaged) }
    return .delete(path: path, uncovered: packaged)
  }
}

public enum SensorFileRemoval: Equatable, Sendable {
  /// The owner's file is deleted. A packaged one of its name, if there is one, is used again.
  case delete(path: String, uncovered: String?)
  /// An empty file of the owner's switches off a packaged one.
  case switchOff(path: String, packaged: String)
  /// It is switched off already.
  case none(path: String, packaged: String)
}

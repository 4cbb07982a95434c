// `plugin install` and `plugin remove`: change the owner's folder of sensor files, have the daemon
// read it again, and report what it made of the file.

import CommandTable
import CycloCommands
import DeclaredSensors
import JSON
import Linux
import SensorFolders
import SensorKit
import Text
import Wire

struct PluginInstall {
  private let session: Session
  private let folders: SensorFileFolders

  private var output: Output { session.output }
  private var isOtherFolder: Bool { session.invocation.has(.sensorFolder) }

  init(_ session: Session) {
    self.session = session
    var folder = session.invocation.text(.sensorFolder) ?? SensorFileFolders.owner
    while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    folders = SensorFileFolders(
      packages: session.invocation.has(.sensorFolder) ? nil : SensorFileFolders.packages, owner: folder)
  }

  private var installed: InstalledSensors {
    InstalledSensors(in: folders, builtIn: session.plugins, words: SensorWords())
  }

  // MARK: Install

  func install(_ path: String) throws(Failure) {
    let file = try CheckedFile(path, session)
    let program = try file.requireProgram(session)
    try requireName(file.name)
    let problems = installed.problems(
      ofNew: file.name, file.content, builtIn: session.plugins, words: SensorWords())
    if !problems.isEmpty { try file.fail(with: problems, session) }
    let target = "\(folders.owner)/\(file.name)"
    let isUpdate = Files.exists(target)
    try change(target, "install", path) { () throws(SystemError) in
      try Files.createDirectory(folders.owner, mode: 0o755)
      try Files.replace(target, with: file.content, mode: 0o644)
    }
    if !session.isJSON {
      output.line("\(isUpdate ? "Updated" : "Installed") \(printable(target)).")
      for write in SensorFileText(program: program, style: session.style).writes {
        output.line("It can write \(write)")
      }
      file.showWarnings(session)
    }
    try report(try DaemonReload(session).run(), on: target, isInstalled: true)
  }

  private func requireName(_ name: String) throws(Failure) {
    guard name.hasSuffix(DeclaredSensorSet.suffix), name != DeclaredSensorSet.suffix, !name.hasPrefix(".") else {
      throw Failure(.failed, "\(name): the name of a sensor's file ends with \(DeclaredSensorSet.suffix)")
    }
  }

  // MARK: Remove

  func remove(_ name: String) throws(Failure) {
    guard let removal = installed.removal(of: name) else {
      throw Failure(
        .failed, "no sensor file is called '\(name)' in \(folders.owner)",
        advice: ["'cyclo plugin list' shows the files that the daemon uses"])
    }
    switch removal {
    case .none(let path, _):
      throw Failure(
        .failed, "it is switched off already: \(path) is empty",
        advice: ["To use the packaged file again: sudo rm \(shellQuoted(path)) && sudo systemctl reload cyclometerd"])
    case .delete(let path, let uncovered):
      let id = id(ofFileAt: path)
      try change(path, "remove", name) { () throws(SystemError) in
        try Files.remove(path)
        try Files.syncDirectory(folders.owner)
      }
      say("Removed \(path).")
      if let uncovered {
        say("The packaged \(uncovered) is used again. To switch it off too, repeat the command.")
      }
      try report(try DaemonReload(session).run(), on: path, isInstalled: false, removed: id)
    case .switchOff(let path, let packaged):
      let id = id(ofFileAt: packaged)
      try change(path, "remove", name) { () throws(SystemError) in
        try Files.createDirectory(folders.owner, mode: 0o755)
        try Files.replace(path, with: [], mode: 0o644)
      }
      say("\(packaged) belongs to a package. The empty file \(path) switches it off.")
      say("To use it again: sudo rm \(shellQuoted(path)) && sudo systemctl reload cyclometerd")
      try report(try DaemonReload(session).run(), on: path, isInstalled: false, removed: id)
    }
  }

  /// Of a file that is in use; nil for one that was left out.
  private func id(ofFileAt path: String) -> String? {
    installed.declared.loaded.map(\.program.info.id).first { installed.path(of: $0) == path }
  }

  private func say(_ text: String) {
    if !session.isJSON { output.line(printable(text)) }
  }

  // MARK: Both

  /// Only root may write to the owner's folder.
  private func change(
    _ path: String, _ action: String, _ word: String, _ body: () throws(SystemError) -> Void
  ) throws(Failure) {
    do throws(SystemError) {
      // The daemon is another user, and must be able to read the file.
      try Files.withExactModes(body)
    } catch {
      guard error.isNotAllowed else { throw Failure(.failed, "cannot write \(path): \(error.reason)") }
      let folder = isOtherFolder ? " --to \(shellQuoted(folders.owner))" : ""
      throw Failure(
        .notAllowed, "cannot write \(path): \(error.reason)",
        advice: ["sudo cyclo plugin \(action) \(shellQuoted(word))\(folder)"])
    }
  }

  private static func json(_ record: some WireValue) -> JSONValue {
    var writer = JSONWriter()
    record.write(into: &writer)
    return (try? JSONValue.parse(writer.bytes)) ?? .null
  }

  /// Whether a path of the daemon is that of a file in the owner's folder, which may be written in another way.
  private func isSame(_ reported: String?, _ path: String) -> Bool {
    guard let reported else { return false }
    return reported == path
      || fileName(reported) == fileName(path) && Files.areSame(Files.parent(of: reported), Files.parent(of: path))
  }

  /// `removed`: the id of the plugin whose file was taken away; nil after an installation.
  private func report(
    _ reload: DaemonReload.Outcome, on path: String, isInstalled: Bool, removed: String? = nil
  ) throws(Failure) {
    let state: String
    var members = [JSONValue.Member("class", "plugin_file"), JSONValue.Member("file", .string(path))]
    var isRefused = false
    switch reload {
    case .notRunning:
      state = "not_running"
      say("The daemon is not running. It reads the folder when it starts.")
    case .notReloaded(let reason):
      state = "not_reloaded"
      say("The daemon was not told to read it: \(reason).")
      say("Run: sudo systemctl reload cyclometerd")
    case .reloaded(let plugins):
      if let plugin = plugins.plugins.first(where: { isSame($0.file, path) }) {
        state = "used"
        members.append(JSONValue.Member("plugin", Self.json(plugin)))
        say("The daemon uses it: \(plugin.id), \(plugin.title).")
      } else if let omitted = plugins.omitted.first(where: { isSame($0.file, path) }), !omitted.isSwitchedOff {
        state = "left_out"
        isRefused = true
        members.append(JSONValue.Member("omitted", Self.json(omitted)))
        for problem in omitted.problems { say("\(path):\(problem.line): \(problem.text)") }
      } else if isInstalled, plugins.moreOmitted > 0 {
        state = "left_out"
        isRefused = true
        // The reply does not list all that were left out, so this file can be one of them.
        say("\(path): the daemon does not use it, and left out more files than it lists.")
        say("Its log has the reason, unless it does not read \(folders.owner). Run: journalctl -u cyclometerd")
      } else if let plugin = plugins.plugins.first(where: { $0.id == removed && $0.file != nil }) {
        state = "used"
        members.append(JSONValue.Member("plugin", Self.json(plugin)))
        say("The daemon uses \(plugin.id) of \(plugin.file ?? "").")
      } else {
        state = "not_used"
        say(
          isInstalled
            ? "The daemon does not read \(folders.owner), so it does not use the file." : "The daemon does not use it.")
      }
    }
    members.append(JSONValue.Member("daemon", .string(state)))
    if session.isJSON { output.line(JSONValue.object(members).encoded) }
    if isRefused { throw Failure(.failed, "the daemon left \(path) out") }
  }
}

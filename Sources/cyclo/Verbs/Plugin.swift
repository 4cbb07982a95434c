// `plugin`: what decodes sensors, and sensors that files declare.

import CommandTable
import CycloCommands
import Linux

func plugin(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(PluginAction.init) else { return }
  let words = Array(session.invocation.words.dropFirst())
  let count: ClosedRange<Int> =
    switch action {
    case .list, .new: 0...0
    case .show, .install, .remove: 1...1
    case .check: 1...2
    case .run: 2...Int.max
    }
  guard words.count >= count.lowerBound else {
    let missing =
      switch action {
      case .show: "the ID of a plugin"
      case .remove: "the NAME of a file"
      case .run: words.isEmpty ? "a FILE and a PROGRAM" : "a PROGRAM after '--'"
      default: "a FILE"
      }
    throw Failure(usage: .plugin, "'\(action.rawValue)' needs \(missing)")
  }
  if words.count > count.upperBound {
    throw Failure(usage: .plugin, "'\(words[count.upperBound])' is an unexpected argument")
  }
  switch action {
  case .list: try PluginList(session).list()
  case .show: try PluginList(session).show(kindName(words[0]))
  case .check:
    let check = try PluginCheck(session, try CheckedFile(words[0], session))
    let word = words.count > 1 ? words[1] : nil
    if let name = session.invocation.text(.triedCommand) {
      try check.tryCommand(kindName(name), value: word)
    } else {
      try check.run(capture: word)
    }
  case .new: try PluginNew(session).run()
  case .run: try PluginRun(session, try CheckedFile(words[0], session)).run(Array(words.dropFirst()))
  case .install: try PluginInstall(session).install(words[0])
  case .remove: try PluginInstall(session).remove(words[0])
  }
}

// An XML file of activities. Everything before a problem counts, because a truncated recording is
// better than none. Only a document type declaration refuses the whole file.

import Expat

struct XMLFile {
  private let parser = XMLParser()
  private var problem: XMLProblem?

  /// What ended the reading, for the user.
  var failure: String? { problem?.description }

  mutating func feed(_ bytes: Span<UInt8>, _ event: (XMLEvent) -> Void) throws(ActivityFileError) {
    guard problem == nil else { return }
    do throws(XMLProblem) {
      try parser.feed(bytes, event)
    } catch {
      try keep(error)
    }
  }

  mutating func finish(_ event: (XMLEvent) -> Void) throws(ActivityFileError) {
    guard problem == nil else { return }
    do throws(XMLProblem) {
      try parser.finish(event)
    } catch {
      try keep(error)
    }
  }

  private mutating func keep(_ error: XMLProblem) throws(ActivityFileError) {
    if error.reason == .documentType { throw ActivityFileError(error.description) }
    problem = error
  }

  func report(to problems: inout ReadProblems) {
    if let problem { problems.add(.broken(problem.description)) }
    problems.add(.cutText, count: parser.cutTexts)
    if let encoding = parser.encoding, !["utf-8", "utf8", "us-ascii"].contains(encoding.lowercased()) {
      problems.add(.encoding(encoding))
    }
  }
}

/// The open elements, from the root on, without namespaces.
struct ElementPath {
  private var names: [String] = []

  var depth: Int { names.count }
  var parent: String? { names.dropLast().last }

  mutating func push(_ name: String) {
    names.append(name)
  }

  mutating func pop() {
    _ = names.popLast()
  }

  func contains(_ name: String) -> Bool { names.contains(name) }
}

/// Extensions that are passed over, each listed once.
struct XMLOmissions {
  private static let most = 100
  private(set) var texts: [String] = []

  mutating func add(_ name: XMLName) {
    guard texts.count < Self.most, let namespace = name.namespace else { return }
    let text = "element \(name.local.prefix(scalars: 100)) of \(namespace.prefix(scalars: 200))"
    if !texts.contains(text) { texts.append(text) }
  }

  mutating func add(text: String) {
    texts.append(text)
  }
}

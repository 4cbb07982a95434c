// What a service does with requests: it answers each one, at once or later, or throws why not. The
// id of the request is added here and nowhere else.

package import JSON
package import Wire

package protocol RequestHandler: AnyObject {
  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer
  /// The connection has ended.
  func ended(_ client: Client)
}

/// The answer to a request.
package indirect enum Answer {
  package typealias Writing = (inout JSONWriter) -> Void

  /// It is done, and there is nothing to report.
  case done
  case result(Writing)
  /// `brief` is sent instead if the result does not fit into a line.
  case fitting(Writing, brief: Writing)
  /// What happens after the answer is on its way, such as sending records.
  case followed(Answer, by: () -> Void)
  /// `Asker.answer` or `Asker.refuse` is called later.
  case later

  package static func reply(_ reply: some WireObject) -> Answer { .result { reply.write(into: &$0) } }

  package func then(_ next: @escaping () -> Void) -> Answer { .followed(self, by: next) }
}

/// Who sent a request. An answer that comes too late for its client is dropped.
package struct Asker {
  package private(set) weak var client: Client?
  private let id: RequestID

  init(_ client: Client, _ id: RequestID) {
    self.client = client
    self.id = id
  }

  package func answer(_ answer: Answer) {
    switch answer {
    case .later: break
    case .done: client?.send(line: line { $0.replyLine(id) })
    case .result(let result): send(result) ?? refuse(Self.tooLong)
    case .fitting(let result, let brief): send(result) ?? send(brief) ?? refuse(Self.tooLong)
    case .followed(let answer, let next):
      self.answer(answer)
      next()
    }
  }

  package func refuse(_ refusal: Refusal) {
    client?.send(ErrorRecord(id: id, refusal))
  }

  private static let tooLong = Refusal(
    reached: .line, "the answer is longer than a line, \(LineSplitter.protocolLimit) bytes")

  /// Nil if the result does not fit into a line.
  private func send(_ result: Answer.Writing) -> Void? {
    let line = line { $0.replyLine(id, result) }
    guard line.count <= LineSplitter.protocolLimit + 1 else { return nil }
    return client?.send(line: line) ?? ()
  }

  private func line(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    write(&writer)
    return writer.bytes
  }
}

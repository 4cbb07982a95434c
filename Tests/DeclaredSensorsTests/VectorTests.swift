// The vectors of the files that declare sensors, made by encoders that know nothing of a reader.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct VectorTests {
  static let vectors = DeclaredFile.withVectors.flatMap { (try? $0.vectors()) ?? [] }

  @Test("every file has vectors", arguments: DeclaredFile.withVectors)
  func hasVectors(_ file: DeclaredFile) throws {
    #expect(try file.vectors().count >= 17)
  }

  @Test("a vector gives its records", arguments: vectors)
  func recordsOfVector(_ vector: DeclaredVector) throws {
    let program = try vector.file.program()
    let session = try vector.session(PluginHost([program.plugin], settings: SensorSettings(), name: ""))
    var host = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
    var batch = Batch()
    #expect(session.packets.count == vector.expectations.count)
    for (packet, expected) in zip(session.packets, vector.expectations) {
      batch.removeAll()
      var refusal: JSONValue?
      do throws(DecodeError) {
        try host.decode(packet.bytes.span, from: packet.source, at: packet.time, into: &batch)
      } catch {
        refusal = [
          "class": "refused", "error": .string(error.reason.rawValue), "offset": .number(Double(error.offset)),
        ]
      }
      let found = try refusal.map { [$0] } ?? records(of: batch)
      #expect(isClose(.array(found), .array(expected)), "\(found.map(\.encoded)) is not \(expected.map(\.encoded))")
    }
  }
}

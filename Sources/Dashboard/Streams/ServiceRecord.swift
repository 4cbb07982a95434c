// A record of this server for pages: whether another service can be used. It comes in frames, with
// the records of the daemon.

import JSON

struct ServiceRecord {
  let service: String
  let state: String
  var message: String?

  var line: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("class", "service")
    writer.member("service", service)
    writer.member("state", state)
    writer.member("message", message)
    writer.endObject()
    return writer.bytes
  }
}

extension PageStreams {
  func publish(_ record: ServiceRecord) {
    publish(record.line, as: "service \(record.service)")
  }
}

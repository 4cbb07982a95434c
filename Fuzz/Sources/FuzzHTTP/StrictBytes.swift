// A request as the strictest client would send it.

import HTTP

func strictBytes(of request: HTTPRequest) -> [UInt8] {
  var text = "\(request.method.rawValue) \(target(request.target)) HTTP/1.\(request.isVersion11 ? 1 : 0)\r\n"
  for field in request.fields.all { text += "\(field.name): \(field.value)\r\n" }
  return Array((text + "\r\n").utf8) + request.body + [UInt8](repeating: 0x0d, count: request.fileLength)
}

private func target(_ target: RequestTarget) -> String {
  let path = "/" + target.path.map(encoded).joined(separator: "/")
  let query = target.query.map { "\(encoded($0.name))=\(encoded($0.value))" }
  return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
}

/// Letters, digits and `-._~` stay as they are: RFC 3986, 2.3.
private func encoded(_ text: String) -> String {
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      bytes.append(byte)
    default:
      let digits = Array("0123456789ABCDEF".utf8)
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

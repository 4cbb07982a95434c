// The logbook with which every input begins: a ride with positions, two activities added by hand, a
// route and a segment. It is made by the recorder itself.

import Fuzzing
import Linux
import Time
import Wire

struct LogbookTemplate {
  /// By the end of their names, such as `-wal`.
  private let files: [(suffix: String, content: [UInt8])]
  private static let suffixes = ["", "-wal"]

  init() throws {
    let house = try RecorderHouse(nil)
    let ride = Self.gpx(points: 240)
    let requests = [
      #""add","params":{"sport":"swimming","start":"2026-05-03T07:30:00.000Z","elapsed_time_s":1800}"#,
      #""add","params":{"sport":"running","start":"2026-05-04T07:30:00.000Z","elapsed_time_s":3600,"name":"Hill"}"#,
      #""import","params":{"name":"ride.gpx","bytes":\#(ride.count)}"#,
      #""put","params":{"transfer":1,"offset":0,"base64":"\#(base64(ride))","end":true,"bytes":\#(ride.count)}"#,
      #""route_add","params":{"activity":3,"name":"Loop"}"#,
      #""segment_add","params":{"activity":3,"name":"Hill","from_s":10,"to_s":200}"#,
    ]
    for (number, request) in requests.enumerated() { try house.ask("t\(number)", request) }
    try house.end()
    files = try Self.suffixes.map { (suffix: $0, content: try Files.read(house.logbook + $0)) }
  }

  func write(to path: String) throws(SystemError) {
    for (suffix, content) in files { try Files.replace(path + suffix, with: content, mode: 0o600) }
  }

  /// A ride to the north with heart rates.
  private static func gpx(points: Int) -> [UInt8] {
    var text = "<gpx version=\"1.1\" creator=\"fuzz\"><trk><trkseg>"
    for second in 0..<points {
      let time = WallTime(seconds: 1_777_800_000 + Int64(second)).isoText
      text += "<trkpt lat=\"47.\(1_000_000 + second * 80)\" lon=\"7.5\"><ele>\(500 + second / 10)</ele>"
      text += "<time>\(time)</time><extensions><hr>\(120 + second % 40)</hr></extensions></trkpt>"
    }
    return Array((text + "</trkseg></trk></gpx>").utf8)
  }
}

private func base64(_ bytes: [UInt8]) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    var four = [UInt8](repeating: UInt8(ascii: "="), count: 4)
    for place in (0..<4).reversed() {
      if place <= group.count { four[place] = letters[bits & 63] }
      bits >>= 6
    }
    text += four
  }
  return String(decoding: text, as: UTF8.self)
}

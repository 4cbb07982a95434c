// What a test looks for in records, and the captures that it makes a daemon play.

import Foundation
import TestSupport
import Wire

/// The straps of the default scene.
enum Strap {
  static let worn = "strap"
  static let spareAddress = "C0:FF:EE:00:00:02"
  static let spare = "spare-strap"
}

/// A folder with a capture in which one strap sends `count` heart rates, `interval` seconds apart. A sanitizer makes a daemon slow
/// to connect to it.
func makeCapture(count: Int, every interval: Double, in folder: TemporaryFolder) throws -> String {
  var text =
    "#cyclometer-capture 1\ndevice hr1 address=A0:9E:1A:00:00:01 name=Strap services=180d\n0.000000 hr1 connected\n"
  let lead = isSanitized ? 10.0 : 0
  for index in 1...count {
    let time = String(format: "%.6f", lead + Double(index) * interval)
    let rate = String(format: "%02x", 60 + index % 100)
    text += "\(time) hr1 notify 2a37 00\(rate)\n"
  }
  let path = folder.file("ride.capture")
  try text.write(toFile: path, atomically: false, encoding: .utf8)
  return path
}

/// Asks until the condition holds; false after the time that a test has patience for.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date.now + 20
  while Date.now < end {
    if try condition() { return true }
  }
  return false
}

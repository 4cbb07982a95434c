// Sensors of the default scene, captures to play, and a helper that polls.

import Foundation
import TestSupport

/// The straps of the default scene.
enum Strap {
  static let worn = "strap"
  static let spareAddress = "C0:FF:EE:00:00:02"
  static let spare = "spare-strap"
}

/// A capture in which one strap sends `count` heart rates, `interval` seconds apart. With a
/// sanitizer the daemon is slow, so the values start later.
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

/// Polls until the condition holds. False after 20 s.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date.now + 20
  while Date.now < end {
    if try condition() { return true }
  }
  return false
}

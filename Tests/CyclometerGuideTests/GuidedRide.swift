// A daemon that plays a ride by its positions, a recorder that has a route, and a guide.
//
// The route goes 400 m north, turns right, and goes 400 m east. The rider moves at 8 m/s.

import Foundation
import JSON
import Linux
import TestSupport

final class GuidedRide {
  struct Spot {
    /// In metres.
    var north: Double
    var east: Double
  }

  static let speed = 8.0
  private static let metresPerDegree = 111_194.93

  let folder: TemporaryFolder
  private(set) var daemon: RealDaemon
  private(set) var recorder: RealService
  private(set) var guide: RealService
  /// The id of the route.
  let route: Int

  /// The places of the ride, a second apart.
  init(_ spots: [Spot], route corners: [Spot] = GuidedRide.corners) throws {
    folder = try TemporaryFolder()
    daemon = try RealDaemon(["--simulate", try Self.capture(spots, in: folder)], in: folder)
    recorder = try RealService("cyclometer-recorder", in: folder, socket: "logbook.sock")
    guide = try RealService("cyclometer-guide", in: folder, socket: "guide.sock")
    route = try Self.add(corners, to: recorder.socket, in: folder)
  }

  static let corners = [Spot(north: 0, east: 0), Spot(north: 400, east: 0), Spot(north: 400, east: 400)]

  /// The way from the first corner to the last one.
  static func way(_ corners: [Spot], from start: Double = 0, step: Double = speed) -> [Spot] {
    var (spots, rest): ([Spot], Double) = ([], start)
    for (a, b) in zip(corners, corners.dropFirst()) {
      let length = hypot(b.north - a.north, b.east - a.east)
      while rest < length {
        let part = rest / length
        spots.append(Spot(north: a.north + (b.north - a.north) * part, east: a.east + (b.east - a.east) * part))
        rest += step
      }
      rest -= length
    }
    return spots
  }

  static func degrees(_ spot: Spot) -> (latitude: String, longitude: String) {
    let latitude = 47 + spot.north / metresPerDegree
    let longitude = 8.5 + spot.east / metresPerDegree / cos(47 * Double.pi / 180)
    return (String(format: "%.8f", latitude), String(format: "%.8f", longitude))
  }

  private static func capture(_ spots: [Spot], in folder: TemporaryFolder) throws -> String {
    var lines = ["#cyclometer-capture 1"]
    for (second, spot) in spots.enumerated() {
      let (latitude, longitude) = degrees(spot)
      lines.append(
        #"\#(second).0 gps {"class":"TPV","device":"/dev/a","mode":3,"lat":\#(latitude),"lon":\#(longitude),"#
          + #""altMSL":420.0,"speed":8.0,"eph":4.0}"#)
    }
    let path = folder.file("ride-\(UInt32.random(in: .min ... .max)).capture")
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private static func add(_ corners: [Spot], to socket: String, in folder: TemporaryFolder) throws -> Int {
    let points = (way(corners, step: 20) + corners.suffix(1)).map { spot in
      let (latitude, longitude) = degrees(spot)
      return "<rtept lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>420</ele></rtept>"
    }
    let text =
      "<gpx version=\"1.1\" creator=\"test\" xmlns=\"http://www.topografix.com/GPX/1/1\"><rte><name>Corner</name>"
      + points.joined() + "</rte></gpx>"
    let peer = try GuidePeer(socket, .recorder)
    let content = Data(text.utf8)
    let begun = try peer.result("import", #"{"name":"corner.gpx","bytes":\#(content.count),"as":"route"}"#)
    let transfer = begun["transfer"]?.integer ?? 0
    let reply = try peer.result(
      "put",
      #"{"transfer":\#(transfer),"offset":0,"base64":"\#(content.base64EncodedString())","end":true,"#
        + #""bytes":\#(content.count)}"#)
    guard let route = reply["routes"]?.items?.first?.integer else { throw GuidePeer.Problem.refused(reply) }
    return route
  }

  // MARK: Restarts

  func restartGuide(byCrash: Bool = false) throws {
    if byCrash { guide.kill() } else { guide.stop() }
    guide = try RealService("cyclometer-guide", in: folder, socket: "guide.sock")
  }

  func stopRecorder() { recorder.stop() }

  func startRecorder() throws {
    recorder = try RealService("cyclometer-recorder", in: folder, socket: "logbook.sock")
  }

  /// The new daemon plays these places.
  func restartDaemon(_ spots: [Spot]) throws {
    daemon.stop()
    daemon = try RealDaemon(["--simulate", try Self.capture(spots, in: folder)], in: folder)
  }
}

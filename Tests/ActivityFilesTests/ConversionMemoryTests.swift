// A conversion needs no more memory for a long ride than for a short one, although a GPX file of
// 12 hours has over 20 MB: files are read and written in pieces.

import ActivityFiles
import ActivityVectors
import Foundation
import Testing

@Suite struct ConversionMemoryTests {
  private let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "convert-activity")

  @Test("memory does not grow with the length of a ride", arguments: ["gpx", "tcx", "json"])
  func memoryIsBounded(ending: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "cyclometer-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let short = try peak(hours: 1, ending, in: folder)
    let long = try peak(hours: 12, ending, in: folder)
    // The long file would add several megabytes if it were held.
    #expect(long.kilobytes < short.kilobytes + 2048, "12 h need \(long.kilobytes) kB, 1 h \(short.kilobytes) kB")
    #expect(long.output > 11 * short.output)
  }

  private func peak(hours: Int, _ ending: String, in folder: URL) throws -> (kilobytes: Int, output: Int) {
    let input = folder.appending(path: "\(hours).\(ending)")
    let output = folder.appending(path: "\(hours).csv")
    try Data(ride(seconds: hours * 3600, ending)).write(to: input)
    let process = Process()
    // The shell reports the largest resident set of its child.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
      program.path, input.path, output.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let kilobytes = try #require(Int(text.filter(\.isNumber)))
    return (kilobytes, try Data(contentsOf: output).count)
  }

  private func ride(seconds: Int, _ ending: String) -> [UInt8] {
    switch ending {
    case "gpx": gpx(seconds)
    case "tcx": tcx(seconds)
    default: json(seconds)
    }
  }

  private func date(_ t: Int) -> String {
    let digits = [t / 3600, t / 60 % 60, t % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "2026-05-03T\(digits.joined(separator: ":"))Z"
  }

  private func gpx(_ seconds: Int) -> [UInt8] {
    var bytes = Array("<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"t\"><trk><trkseg>\n".utf8)
    for t in 0..<seconds {
      bytes += "<trkpt lat=\"47.\(100_000 + t)\" lon=\"8.5\"><ele>\(430 + t % 90)</ele><time>\(date(t))</time>".utf8
      bytes += "<extensions><power>\(200 + t % 50)</power><gpxtpx:TrackPointExtension><gpxtpx:hr>\(120 + t % 40)".utf8
      bytes += "</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>\n".utf8
    }
    return bytes + Array("</trkseg></trk></gpx>\n".utf8)
  }

  private func tcx(_ seconds: Int) -> [UInt8] {
    var bytes = Array("<TrainingCenterDatabase><Activities><Activity Sport=\"Biking\">\n".utf8)
    for t in 0..<seconds {
      if t % 600 == 0 { bytes += "\(t > 0 ? "</Track></Lap>" : "")<Lap StartTime=\"\(date(t))\"><Track>\n".utf8 }
      bytes += "<Trackpoint><Time>\(date(t))</Time><DistanceMeters>\(t * 7)</DistanceMeters>".utf8
      bytes += "<HeartRateBpm><Value>\(120 + t % 40)</Value></HeartRateBpm></Trackpoint>\n".utf8
    }
    return bytes + Array("</Track></Lap></Activity></Activities></TrainingCenterDatabase>\n".utf8)
  }

  private func json(_ seconds: Int) -> [UInt8] {
    var bytes = Array("{\"points\":[\n".utf8)
    for t in 0..<seconds {
      bytes +=
        "\(t > 0 ? "," : "")\n{\"time\":\"\(date(t))\",\"lat\":47.\(100_000 + t),\"lon\":8.5,\"hr\":\(120 + t % 40)}"
        .utf8
    }
    return bytes + Array("]}\n".utf8)
  }
}

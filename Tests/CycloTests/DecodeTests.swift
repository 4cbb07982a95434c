// Decoding captures without a daemon: the lines that the socket would carry, and errors of other files.

import Foundation
import Testing

struct DecodeTests {
  private static let capture = """
    #cyclometer-capture 1
    device hr1 address=A0:9E:1A:00:00:01 name="Polar H10"
    0.250000 hr1 notify 2a37 1048a501
    0.500000 hr1 notify 2a37 1048a5

    """

  @Test("decode reads standard input and prints records")
  func decodeReadsStandardInput() throws {
    let outcome = try cyclo("decode", "--json", "-", input: Self.capture)
    #expect(outcome.status == 0)
    #expect(outcome.complaint == "")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.contains(#""sensor":"hr1","kind":"heart_rate","seq":1,"t":0.25"#) == true)
    #expect(outcome.lines.last?.contains(#""class":"refused""#) == true)
  }

  @Test("decode aligns times in text")
  func decodeAlignsTimesInText() throws {
    let outcome = try cyclo("decode", "-", input: Self.capture)
    #expect(outcome.lines.first?.hasPrefix("    0.250000  hr1  heart_rate  72 bpm") == true)
    #expect(outcome.lines.last == "    0.500000  hr1  refused  2a37: truncated at byte 2")
  }

  @Test("decode skips an invalid line and names it")
  func decodeSkipsInvalidLine() throws {
    let outcome = try cyclo("decode", "--json", "-", input: Self.capture.replacing("0.5", with: "soon"))
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.complaint.hasPrefix("cyclo: standard input: line 4: "))
  }

  @Test("every capture of the repository decodes as expected")
  func everyCaptureOfRepositoryDecodes() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Captures").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".capture") }
    #expect(!names.isEmpty)
    for name in names {
      let path = folder + "/" + name
      let expected = try String(contentsOfFile: path.replacing(".capture", with: ".expected"), encoding: .utf8)
      #expect(try cyclo("decode", "--json", path).output == expected, "\(name)")
    }
  }

  @Test(
    "an unreadable file is status 1",
    arguments: [("/nowhere/ride.capture", "No such file or directory"), ("/tmp", "Is a directory")])
  func unreadableFileStatus1(path: String, reason: String) throws {
    let outcome = try cyclo("decode", path)
    #expect(outcome.status == 1)
    #expect(outcome.complaint == "cyclo: cannot read \(path): \(reason)\n")
  }

  @Test(
    "a file that is not a capture is status 1", arguments: ["hello\n", "", "# a ride\n", "device a\n0 a connected\n"])
  func fileThatNotCaptureStatus(text: String) throws {
    let outcome = try cyclo("decode", "-", input: text)
    #expect(outcome.status == 1)
    #expect(
      outcome.complaint.hasSuffix(
        "cyclo: standard input is not a capture: it does not start with #cyclometer-capture 1\n"))
  }

  @Test("a capture without any known packet is status 1")
  func captureWithoutAnyKnownPacket() throws {
    let outcome = try cyclo("decode", "-", input: "#cyclometer-capture 1\nsoon\n")
    #expect(outcome.status == 1)
    #expect(outcome.complaint.hasSuffix("cyclo: standard input contains nothing to decode\n"))
    #expect(try cyclo("decode", "-", input: "#cyclometer-capture 1\n").status == 0)
  }

  @Test("decode --sensors also uses the sensors of files, and reports files with problems")
  func decodeWithSensorFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cyclo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = "[Sensor]\nFormat = 1\nId = x\nTitle = X\nService = 1234\n[Packet p]\nNotify = 1234 5678\na = u8\n"
    try (text + "[Sample x]\na = a\n").write(to: folder.appending(path: "x.sensor"), atomically: true, encoding: .utf8)
    try "[Sensor]\n".write(to: folder.appending(path: "bad.sensor"), atomically: true, encoding: .utf8)
    let capture = Self.capture + "device x1 services=1234\n0.750000 x1 notify 5678 07\n"
    let outcome = try cyclo("decode", "--json", "--sensors", folder.path, "-", input: capture)
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 3)
    #expect(outcome.lines.last == #"{"class":"sample","sensor":"x1","kind":"x","seq":1,"t":0.75,"age_ms":0,"a":7}"#)
    #expect(outcome.complaint.hasPrefix("cyclo: \(folder.path)/bad.sensor:1: "))
    #expect(try cyclo("decode", "--sensors", "/nowhere", "-", input: capture).status == 1)
  }
}

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
}

// `cyclo plugin new`: a first file from the packets of a capture.

import Foundation
import TestSupport
import Testing

@Suite struct PluginNewTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let capture = """
    #cyclometer-capture 1
    device lamp name="Lamp 3" services=1234,180f
    0.000000 lamp connected
    0.100000 lamp read 2a19 50
    0.200000 lamp read 5677 56312e32
    0.500000 lamp notify 5678 0a01
    1.000000 lamp notify 5678 0a02ff
    1.500000 lamp notify 5678 0a03

    """

  private func new(_ capture: String, _ options: String...) throws -> (outcome: Outcome, path: String) {
    let (source, path) = (folder.file("a.capture"), folder.file("\(UUID().uuidString).sensor"))
    try capture.write(toFile: source, atomically: true, encoding: .utf8)
    return (try RunningCyclo(["plugin", "new", "--from-capture", source, "-o", path] + options).finish(), path)
  }

  @Test("a first file has a field per byte, and comments about what was observed")
  func firstFile() throws {
    let (outcome, path) = try new(Self.capture)
    #expect(outcome.status == 0, "\(outcome.complaint)")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    for line in [
      "Id = lamp_3", "Title = Lamp 3", "Service = 1234", "; 180f 2a19 is decoded by a built-in plugin.",
      "Read = 1234 5677", "raw_5677 = text", "Notify = 1234 5678", "; 3 packets of 2 to 3 bytes",
      "byte_0 = u8 ; always 10", "byte_1 = u8 ; 1 to 3, changed 2 times", "byte_2 = u8 if length > 2 ; always 255",
    ] { #expect(lines.contains(line), "\(line)") }
    let check = try cyclo("plugin", "check", path, folder.file("a.capture"))
    #expect(check.status == 0, "\(check.output)")
    #expect(check.lines.last == "4 packets: 4 read, 0 refused; 3 samples, 1 fact")
    #expect(try cyclo("plugin", "new", "--from-capture", folder.file("a.capture"), "-o", path).status == 1)
  }

  @Test("of several devices, one must be chosen")
  func severalDevices() throws {
    let capture = Self.capture + "device tag name=Tag\n2.000000 tag advert 0499 050102\n"
    #expect(try new(capture).outcome.complaint.contains("has several devices: lamp, tag"))
    let (outcome, path) = try new(capture, "--device", "tag")
    #expect(outcome.status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\nAdvert = company 0499 name=Tag\n"))
    #expect(try cyclo("plugin", "check", path, folder.file("a.capture")).status == 0)
  }

  @Test("the first file of every capture of the repository has no errors and refuses nothing")
  func everyCapture() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    for path in ["Captures", "DeclaredSensorsTests/Captures"] {
      let folder = root.appending(path: path).path
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix("steady.capture") }
      #expect(!names.isEmpty)
      for name in names {
        let capture = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
        let device = capture.split(separator: "\n").first { $0.hasPrefix("device ") }?.split(separator: " ")[1]
        let (outcome, file) = try new(capture, "--device", String(try #require(device)))
        #expect(outcome.status == 0, "\(name): \(outcome.complaint)")
        let check = try cyclo("plugin", "check", file)
        #expect(check.status == 0, "\(name): \(check.output)")
      }
    }
  }

  @Test("a capture or a device is required")
  func usage() throws {
    #expect(try cyclo("plugin", "new").status == 2)
    #expect(try new("hello\n").outcome.status == 1)
    #expect(try new(Self.capture, "--from", "C0:FF:EE:00:00:02").outcome.status == 2)
    #expect(try new(Self.capture, "-t", "5").outcome.status == 2)
  }

  @Test("one byte is a number, even if it could be a letter")
  func oneByteIsNoText() throws {
    let (outcome, path) = try new(Self.capture.replacing("56312e32", with: "56"))
    #expect(outcome.status == 0)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8).contains("Read = 1234 5677\n; 1 packet of 1 byte\nbyte_0 = u8"))
  }

  @Test("packets whose length follows from their first byte get a hint at Match")
  func kindsOfPackets() throws {
    let (_, plain) = try new(Self.capture)
    #expect(try !String(contentsOfFile: plain, encoding: .utf8).contains("Match"), "byte 0 is always the same")
    let capture = Self.capture + "2.000000 lamp notify 5678 0b01020304\n2.500000 lamp notify 5678 0b01020305\n"
    let same = capture.replacing("0a02ff", with: "0a02")
    let (outcome, path) = try new(same)
    #expect(outcome.status == 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("; The first byte may be the kind of packet: 10 (2 bytes), 11 (5 bytes).\n"), "\(text)")
    #expect(text.contains("'Match = byte(0) == 10'"))
    #expect(try cyclo("plugin", "check", path, folder.file("a.capture")).status == 0)
  }

  @Test("a service that the capture does not say to be advertised is commented on, or left out")
  func serviceThatIsNotAdvertised() throws {
    let capture = """
      #cyclometer-capture 1
      device lamp name=Lamp
      0.500000 lamp notify 2a37 0a01

      """
    let (outcome, path) = try new(capture)
    #expect(outcome.status == 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("The capture does not say that it advertises this service."))
    #expect(try cyclo("plugin", "check", path).status == 0)
    let (_, other) = try new(capture + "1.000000 lamp advert 0499 0501\n1.500000 lamp notify 5678 01\n")
    let advertised = try String(contentsOfFile: other, encoding: .utf8)
    #expect(!advertised.contains("\nService = ") && advertised.contains("\nAdvert = company 0499 name=Lamp\n"))
    #expect(try cyclo("plugin", "check", other).status == 0)
  }

  @Test("a file stays within the limits of the language, however much a device has")
  func manyCharacteristics() throws {
    var capture = "#cyclometer-capture 1\ndevice lamp name=Lamp services=1234\n"
    let packet = String(repeating: "0a", count: 80)
    for number in 0..<60 { capture += "0.500000 lamp notify \(7000 + number) \(packet)\n" }
    let (outcome, path) = try new(capture)
    #expect(outcome.status == 0)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8).contains(
        "; 1234 7059: 1 packet; the file has no room for it.\n"))
    let check = try cyclo("plugin", "check", path)
    #expect(check.status == 0, "\(check.output)")
  }
}

// Lines of several versions of gpsd, and invalid lines.

import JSON
import Metrics
import Testing
import Time

@testable import PositionReports

struct ReportTests {
  static func fix(_ line: String) throws -> Fix {
    Fix(try JSONValue.parse(line), at: MonotonicTime(seconds: 1))
  }

  @Test("a full fix is read")
  func aFullFix() throws {
    let fix = try Self.fix(
      #"{"class":"TPV","device":"/dev/pts/0","mode":3,"time":"2026-11-21T12:00:03.250Z","ept":0.005,"lat":47.368338333,"lon":8.533333333,"altHAE":467.0000,"altMSL":420.0000,"alt":421.0,"epx":17.075,"epy":15.202,"epv":34.500,"track":12.5,"magtrack":2.5703,"speed":6.173,"climb":-0.1,"eps":34.15,"eph":17.100}"#
    )
    var expected = Fix(time: MonotonicTime(seconds: 1), mode: .full)
    (expected.latitudeDeg, expected.longitudeDeg, expected.altitudeM) = (47.368338333, 8.533333333, 420)
    (expected.speedMps, expected.courseDeg, expected.climbMps) = (6.173, 12.5, -0.1)
    (expected.accuracyM, expected.altitudeAccuracyM, expected.speedAccuracyMps) = (17.1, 34.5, 34.15)
    expected.epoch = 1_795_262_403.25
    #expect(fix == expected)
  }

  /// Versions before 3.20 send neither `eph` nor `altMSL`.
  @Test("a fix of an older gpsd is read")
  func fixOfOlderGpsdRead() throws {
    let fix = try Self.fix(
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2019-03-02T09:01:02.000Z","lat":47.0,"lon":8.0,"alt":420.5,"epx":3.0,"epy":4.0,"speed":0.0}"#
    )
    #expect(fix.altitudeM == 420.5)
    #expect(fix.accuracyM == 5)
    #expect(fix.speedMps == 0)
    #expect(fix.courseDeg == nil)
  }

  @Test(
    "without a fix nothing is known",
    arguments: [
      #"{"class":"TPV","mode":1}"#, #"{"class":"TPV","mode":0,"lat":47.0,"lon":8.0,"speed":3.0}"#, #"{"class":"TPV"}"#,
      #"{"class":"TPV","mode":"3","lat":47.0,"lon":8.0}"#, #"{"class":"TPV","mode":1,"lat":47.0,"lon":8.0,"alt":1}"#,
    ])
  func withoutFixNothingKnown(_ line: String) throws {
    #expect(try Self.fix(line) == Fix(time: MonotonicTime(seconds: 1), mode: .none))
  }

  @Test("impossible values are omitted")
  func impossibleValuesOmitted() throws {
    let fix = try Self.fix(
      #"{"class":"TPV","mode":2,"lat":91.0,"lon":-181,"alt":400,"speed":-1,"track":400,"eph":-5,"eps":1e9,"time":"yesterday"}"#
    )
    #expect(fix == Fix(time: MonotonicTime(seconds: 1), mode: .flat))
  }

  @Test(
    "times are read",
    arguments: [
      ("1970-01-01T00:00:00Z", 0.0), ("1970-01-01T00:00:00.500Z", 0.5), ("2000-02-29T23:59:59.999Z", 951_868_799.999),
      ("2026-11-21T12:00:02.000Z", 1_795_262_402), ("2100-03-01T00:00:00.00Z", 4_107_542_400),
    ])
  func moments(_ text: String, _ seconds: Double) throws {
    #expect(abs(try #require(secondsSince1970(text)) - seconds) < 1e-3)
  }

  @Test(
    "invalid times are rejected",
    arguments: [
      "", "Z", "2026-13-21T12:00:02.000Z", "2026-11-21T12:00:02.000", "2026-11-2xT12:00:02.000Z",
      "2026-11-21T12:00:02.x00Z",
    ])
  func invalidTimesRejected(_ text: String) {
    #expect(secondsSince1970(text) == nil)
  }

  @Test("satellites are taken from the report or counted")
  func satellitesTakenFromReport() throws {
    let said = GPSDSky(try JSONValue.parse(#"{"class":"SKY","device":"a","hdop":0.9,"nSat":12,"uSat":9}"#))
    #expect(said.satellites == 9)
    #expect(said.dilution == 0.9)
    let counted = GPSDSky(
      try JSONValue.parse(
        #"{"class":"SKY","hdop":99.99,"satellites":[{"PRN":4,"used":true},{"PRN":5,"used":false},{"PRN":9,"used":true}]}"#
      ))
    #expect(counted.satellites == 2)
    #expect(counted.dilution == nil)
  }

  @Test("report classes are recognized by their first bytes")
  func reportClassesRecognizedByTheir() {
    for (line, kind) in [
      (#"{"class":"TPV","mode":1}"#, GPSDClass.position), (#"{"class":"SKY","x":1}"#, .sky),
      (#"{"class":"DEVICES","devices":[]}"#, .devices), (#"{"class":"DEVICE","path":""}"#, .device),
      (#"{"class":"VERSION","release":"3.22"}"#, .version),
    ] { #expect(GPSDClass(Array(line.utf8).span) == kind) }
    for line in [
      "", "{", #"{"class":"TPV"#, #"{"class":"WATCH","enable":true}"#, "$GPRMC,1*00", #"{"class":"TPVX","mode":1}"#,
    ] {
      #expect(GPSDClass(Array(line.utf8).span) == nil)
    }
  }
}

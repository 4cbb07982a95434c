// Samples with a property for each field of their kind.

import CyclometerSamples
import JSON
import Testing
import Wire

@Suite struct TypedSampleTests {
  private func sample(_ kind: String, _ fields: String) throws -> SampleRecord? {
    let line = #"{"class":"sample","sensor":"a","kind":"\#(kind)","seq":1,"t":1.5,"age_ms":0,\#(fields)}"#
    return SampleRecord(try JSONValue.parse(Array(line.utf8)))
  }

  @Test("numbers, lists and words are read with their types")
  func heartRate() throws {
    let line = #""bpm":142,"rr_ms":[421.875,430],"sensor_contact":"not_detected","source":"strap""#
    let heartRate = try #require(HeartRateSample(sample("heart_rate", line)))
    #expect(heartRate.bpm == 142 && heartRate.rrMs == [421.875, 430] && heartRate.sensorContact == .notDetected)
    #expect(heartRate.energyExpendedJ == nil && heartRate.source == "strap" && heartRate.sample.sensor == "a")
  }

  @Test("a sample of another kind is not read as this one")
  func otherKind() throws {
    #expect(try PowerSample(sample("heart_rate", #""bpm":142"#)) == nil)
    #expect(PowerSample(nil) == nil)
  }

  @Test("a field of another type, and a word of a later release, read as nil")
  func unreadable() throws {
    let heartRate = try HeartRateSample(sample("heart_rate", #""bpm":"fast","sensor_contact":"glued""#))
    #expect(heartRate?.bpm == nil && heartRate?.sensorContact == nil)
    #expect(heartRate?.sample["sensor_contact"] == "glued")
  }

  @Test("objects in a list have properties too")
  func targets() throws {
    let line = #""clear":false,"targets":[{"id":1,"distance_m":42.5,"level":2,"side":"none"},{"id":2,"level":1}]"#
    let radar = try #require(RadarSample(sample("radar", line)))
    #expect(radar.clear == false && radar.targets?.map(\.distanceM) == [42.5, nil])
    #expect(radar.targets?.first?.side == .neither && radar.targets?.last?.side == nil)
  }

  @Test("a list of lists keeps its groups")
  func groups() throws {
    let acceleration = try AccelerationSample(sample("acceleration", #""milli_g":[[1,2,3],[4,5,6]]"#))
    #expect(acceleration?.milliG == [[1, 2, 3], [4, 5, 6]])
  }
}

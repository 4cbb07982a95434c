// What the writer produces. With CYCLOMETER_EXPORTS, a folder, it keeps files for other decoders.

import ActivityFiles
import ActivityVectors
import Testing
import Time

@Suite struct FITWriterTests {
  @Test("the smallest activity is written byte for byte")
  func minimal() throws {
    let bytes = try writeFIT(Vector.ride("minimal.json"))
    #expect(bytes == (try Vector.hex("minimal.hex")))
  }

  @Test("a ride with everything is written for other decoders")
  func wholeRide() throws {
    let bytes = try writeFIT(Vector.ride("ride.json"))
    try keepExport(bytes, "ride.fit")
    #expect(bytes.count < 8000)
  }

  @Test("what is read back is what was written, and writing it again gives the same bytes")
  func roundTrip() throws {
    let items = try Vector.ride("ride.json")
    let bytes = try writeFIT(items)
    let result = try read(bytes, with: FITReader())
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
    #expect(try writeFIT(result.items) == bytes)
    let expected = ReadItems(items: items)
    #expect(result.events == expected.events)
    #expect(result.devices == expected.devices)
    #expect(result.points.map(\.t) == expected.points.map(\.t))
    for (found, wanted) in zip(result.points, expected.points) {
      #expect(found.radar == wanted.radar && found.beatIntervals == wanted.beatIntervals, "second \(wanted.t)")
      for field in PointField.allCases { #expect(isNear(found[field], wanted[field]), "\(field) at \(wanted.t)") }
    }
    for (found, wanted) in zip(
      result.laps.map(\.summary) + result.summaries, expected.laps.map(\.summary) + expected.summaries)
    {
      #expect(found.start == wanted.start && found.elapsed == wanted.elapsed)
      for field in SummaryField.allCases { #expect(isNear(found[field], wanted[field]), "\(field)") }
    }
  }

  /// Within what FIT keeps of a value with one decimal.
  private func isNear(_ found: Double?, _ wanted: Double?) -> Bool {
    guard let found, let wanted else { return found == nil && wanted == nil }
    return abs(found - wanted) <= 0.11
  }

  @Test("a file of a known size is written from front to back")
  func knownSize() throws {
    let items = try Vector.ride("ride.json")
    let whole = try writeFIT(items)
    var writer = FITWriter(dataSize: whole.count - 16)
    var bytes: [UInt8] = []
    var piece: [UInt8] = []
    for item in items {
      try writer.write(item, into: &piece)
      bytes += piece
      piece.removeAll(keepingCapacity: true)
    }
    try writer.finish(into: &piece)
    #expect(bytes + piece == whole)
  }

  private func header() -> ActivityItem { .header(ActivityHeader(start: WallTime(seconds: 1_777_824_900))) }

  private func point(_ t: Int, _ values: FieldValues<PointField>) -> ActivityItem {
    var point = ActivityPoint(t: t)
    point.values = values
    return .point(point)
  }

  @Test("what sites require and the items lack is added")
  func completion() throws {
    let items = [header(), point(2, [.speed: 5, .distance: 0]), point(9, [.speed: 5, .distance: 35])]
    let result = try read(writeFIT(items), with: FITReader())
    #expect(result.events.map(\.t) == [0, 9])
    #expect(result.laps.count == 1 && result.laps.first?.trigger == .end)
    let summary = try #require(result.summaries.first)
    #expect(summary.elapsed == 9 && summary[.timerTime] == 9 && summary[.distance] == 35)
  }

  @Test("an unknown value is absent, and an impossible one is not written")
  func absence() throws {
    let items = [
      header(), point(0, [.power: 70_000, .heartRate: 0]), point(1, [.power: 0, .cadence: 0]),
      point(2, [.cadence: 87.5, .power: -3]), point(2, [.power: 9]), point(1, [.power: 9]),
    ]
    let points = try read(writeFIT(items), with: FITReader()).points
    #expect(points.map(\.t) == [1, 2])
    #expect(points[0][.power] == 0 && points[0][.cadence] == 0 && points[0][.heartRate] == nil)
    #expect(points[1][.power] == 0 && points[1][.cadence] == 87.5)
  }

  @Test("the side of a balance is kept, and so is that it is unknown")
  func balance() throws {
    let items = [header(), point(0, [.leftBalance: 47]), point(1, [.balance: 52])]
    let points = try read(writeFIT(items), with: FITReader()).points
    #expect(points.map { $0[.leftBalance] } == [47, nil] && points.map { $0[.balance] } == [nil, 52])
  }

  @Test("intervals between heartbeats are kept, however many there are in a second")
  func beats() throws {
    var point = ActivityPoint(t: 0)
    point[.heartRate] = 130
    point.beatIntervals = (0..<12).map { 400 + Double($0) }
    let result = try read(writeFIT([header(), .point(point)]), with: FITReader())
    #expect(result.points == [point])
  }

  @Test("rider, zones, batteries and other events come back")
  func otherItems() throws {
    var header = ActivityHeader(start: WallTime(seconds: 1_777_824_900))
    var rider = ActivityRider()
    rider.sex = .female
    rider.weightKilograms = 61.5
    rider.maxHeartRate = 188
    header.rider = rider
    var zones = ActivityZones(span: .activity)
    zones.heartRate = ActivityZones.Times(seconds: [10, 0, 5.5], upperBounds: [120, 150])
    zones.thresholdPower = 240
    var strap = ActivityDevice(t: 0, index: 1, kind: .heartRate, label: DeviceLabel(name: "Strap"))
    strap.batteryPercent = 80
    var strapAtEnd = strap
    strapAtEnd.t = 9
    strapAtEnd.batteryPercent = 79
    let alert = ActivityEvent(t: 5, kind: .other(event: 75, type: 3, data: 0x0102))
    let items: [ActivityItem] = [
      .header(header), .device(strap), point(0, [.power: 100]), .event(alert), point(9, [.power: 100]),
      .device(strapAtEnd), .zones(zones),
    ]
    let result = try read(writeFIT(items), with: FITReader())
    #expect(result.headers.first?.rider == rider)
    #expect(result.devices == [strap, strapAtEnd])
    #expect(result.events.contains(alert))
    #expect(result.items.contains(.zones(zones)))
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
  }

  @Test("an activity without a date, with two sports or after another one is refused")
  func refusals() throws {
    #expect(throws: ActivityFileError.self) { try writeFIT([.header(ActivityHeader())]) }
    #expect(throws: ActivityFileError.self) { try writeFIT([header(), header()]) }
    let summary = ActivityItem.summary(ActivitySummary(start: 0, elapsed: 1))
    #expect(throws: ActivityFileError.self) { try writeFIT([header(), summary, summary]) }
    #expect(throws: ActivityFileError.self) { try writeFIT([]) }
  }
}

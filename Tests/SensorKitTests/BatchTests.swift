// A batch keeps the fields of each entry together, and can be rolled back to any mark.

import SensorKit
import Testing
import Vocabulary

@Suite final class BatchTests {
  var batch = Batch()
  var overflowed: Bool { batch.overflowed }

  @Test("each entry has its own fields")
  func entryFields() {
    batch.sample(.heartRate)
    batch.set(.bpm, 60)
    batch.beginNumbers(.rrMs)
    batch.append(1000)
    batch.append(990.5)
    batch.set(.sensorContact, "detected")
    batch.sample(.battery)
    batch.set(.batteryPct, 87)
    #expect(batch.entries.map(\.fields) == [0..<3, 3..<4])
    #expect(batch.number(.bpm, of: batch.entries[0]) == 60)
    #expect(batch.number(.bpm, of: batch.entries[1]) == nil)
    #expect(batch.field(1).value == .numbers(0..<2, groupedBy: 1) && batch.number(1) == 990.5)
  }

  @Test("each object has its own fields")
  func objectFields() {
    batch.sample(.speed)
    batch.beginObjects(Field("targets"))
    batch.nextObject()
    batch.set(Field("id"), 1)
    batch.nextObject()
    batch.set(Field("id"), 2)
    batch.set(Field("distance_m"), 40)
    batch.endObjects()
    batch.set(.speedMps, 5)
    #expect(batch.field(0).value == .objects(0..<2) && batch.object(1) == 1..<3)
    #expect(batch.objectField(2).value == .number(40) && batch.field(1).value == .number(5))
  }

  @Test("a rollback removes everything since the mark")
  func rollback() {
    batch.fact(.bodyLocation, "chest")
    let mark = batch.mark
    let text: [UInt8] = [0x61]
    batch.sample(.heartRate)
    batch.beginNumbers(.rrMs)
    batch.append(1)
    batch.fact(Field("model"), text: text.span)
    batch.write(text.span, to: Fake.service, Fake.value)
    batch.rollback(to: mark)
    #expect(batch.entries.count == 1 && batch.actions.isEmpty && batch.entries[0].fields == 0..<1)
    batch.removeAll()
    #expect(batch.entries.isEmpty)
  }

  @Test("every part of a batch is bounded")
  func bounds() {
    let filling: [(String, (inout Batch) -> Void)] = [
      ("entries", { $0.sample(.speed) }),
      ("fields", { $0.set(.bpm, 1) }),
      ("numbers", { $0.append(1) }),
      ("actions", { $0.subscribe(Fake.service, Fake.value) }),
      ("bytes", { $0.fact(Field("model"), text: [0x61, 0x62, 0x63].span) }),
    ]
    for (name, fill) in filling {
      batch.removeAll()
      batch.sample(.heartRate)
      batch.beginNumbers(.rrMs)
      for _ in 0..<5_000 { fill(&batch) }
      #expect(overflowed, "\(name)")
    }
    batch.removeAll()
    #expect(!overflowed)
  }

  @Test("numbers that are not finite are refused", arguments: [Double.nan, .signalingNaN, .infinity, -.infinity])
  func notFinite(_ number: Double) {
    let setters: [(String, (inout Batch) -> Void)] = [
      ("set", { $0.set(.bpm, number) }),
      ("set several", { $0.set([(.distanceM, 1), (.bpm, number)]) }),
      ("fact", { $0.fact(.bpm, number) }),
      ("append", { $0.append(number) }),
    ]
    for (name, set) in setters {
      batch.removeAll()
      batch.sample(.heartRate)
      batch.beginNumbers(.rrMs)
      set(&batch)
      #expect(overflowed, "\(name)")
      #expect(batch.entries.allSatisfy { batch.number(.bpm, of: $0) == nil }, "\(name)")
      #expect(batch.field(0).value == .numbers(0..<0, groupedBy: 1), "\(name)")
    }
  }

  @Test("numbers can be set several at once or one by one")
  func severalNumbers() {
    batch.sample(.speed)
    batch.set([(.speedMps, 5), (.distanceM, 7.5)])
    batch.set(.wheelRevs, 9)
    batch.beginObjects(Field("targets"))
    batch.nextObject()
    batch.set([(Field("id"), 1), (Field("distance_m"), 40)])
    batch.sample(.cadence)
    batch.set([(.cadenceRpm, 90)])
    #expect(batch.entries.map(\.fields) == [0..<4, 4..<5] && !overflowed)
    #expect(batch.field(0).field == .speedMps && batch.field(1).value == .number(7.5))
    #expect(batch.object(0) == 0..<2 && batch.objectField(1).value == .number(40))
    #expect(batch.number(.cadenceRpm, of: batch.entries[1]) == 90)
  }

  @Test("setting several numbers at once has the same bounds")
  func severalNumbersBounded() {
    batch.set([(.speedMps, 5), (.distanceM, 7.5)])
    #expect(overflowed, "there is no sample")
    for isOneTooMany in [false, true] {
      batch.removeAll()
      batch.sample(.speed)
      for _ in 0..<(isOneTooMany ? 127 : 126) { batch.set(.bpm, 1) }
      batch.set([(.speedMps, 5), (.distanceM, 7.5)])
      #expect(overflowed == isOneTooMany && batch.entries[0].fields == 0..<128)
    }
  }

  @Test("a list ends with the next field or sample")
  func listEnd() {
    let lists: [(String, (inout Batch) -> Void, (inout Batch) -> Void)] = [
      ("numbers", { $0.beginNumbers(.rrMs) }, { $0.append(1) }),
      ("words", { $0.beginWords(Field("features")) }, { $0.append("time") }),
    ]
    for (name, begin, extend) in lists {
      for isClosed in [false, true] {
        batch.removeAll()
        batch.sample(.heartRate)
        begin(&batch)
        extend(&batch)
        if isClosed { batch.set(.bpm, 60) }
        extend(&batch)
        #expect(overflowed == isClosed, "\(name)")
      }
      batch.removeAll()
      batch.sample(.heartRate)
      begin(&batch)
      batch.sample(.battery)
      extend(&batch)
      #expect(overflowed, "\(name): another sample")
    }
  }

  @Test("after a rollback, the previous sample can be continued")
  func afterRollback() {
    batch.sample(.speed)
    batch.set(.speedMps, 5)
    let mark = batch.mark
    batch.sample(.radar)
    batch.beginObjects(Field("targets"))
    batch.rollback(to: mark)
    batch.set(.distanceM, 7)
    #expect(batch.entries.map(\.fields) == [0..<2] && !overflowed)
  }

  @Test("a radar target that is invalid or does not fit is refused")
  func radarTargets() {
    let car = RadarTarget(id: 1, distanceM: 40, approachSpeedMps: 7, level: 1)
    let bad = [
      ("its distance", RadarTarget(id: 1, distanceM: .nan, approachSpeedMps: 7, level: 1)),
      ("its speed", RadarTarget(id: 1, distanceM: 40, speedRaw: 7, approachSpeedMps: .infinity, level: 1)),
    ]
    for (name, target) in bad {
      batch.removeAll()
      batch.radar(isClear: false)
      batch.append(car)
      #expect(!overflowed)
      batch.append(target)
      #expect(overflowed, "\(name)")
      #expect(batch.field(1).value == .objects(0..<1), "\(name)")
    }
    batch.removeAll()
    batch.sample(.radar)
    batch.append(car)
    #expect(overflowed, "there is no list of targets")
    batch.removeAll()
    batch.radar(isClear: false)
    for _ in 0..<64 { batch.append(car) }
    #expect(overflowed, "too many targets")
  }

  @Test("lists in an object end with the next field or object")
  func listsInObjects() {
    batch.sample(.radar)
    batch.beginObjects(Field("targets"))
    batch.nextObject()
    batch.beginNumbers(Field("numbers"), inGroupsOf: 1)
    batch.append(1)
    batch.append(2)
    batch.beginWords(Field("words"))
    batch.append("high" as Word)
    batch.nextObject()
    batch.set(.distanceM, 5)
    batch.endObjects()
    batch.set(.speedMps, 5)
    #expect(!overflowed)
    #expect(batch.field(0).value == .objects(0..<2) && batch.object(0) == 0..<2 && batch.object(1) == 2..<3)
    #expect(batch.objectField(0).value == .numbers(0..<2, groupedBy: 1) && batch.objectField(1).value == .words(0..<1))
    #expect(batch.field(1).value == .number(5))
  }

  @Test("a number without a list in its own object is an error, and so is a list of objects in an object")
  func noListInObject() {
    for isNested in [false, true] {
      batch.removeAll()
      batch.sample(.radar)
      batch.beginObjects(Field("targets"))
      batch.nextObject()
      batch.beginNumbers(Field("numbers"), inGroupsOf: 1)
      if isNested {
        batch.beginObjects(Field("inner"))
      } else {
        batch.nextObject()
        batch.append(1)
      }
      #expect(overflowed)
    }
  }

  @Test("a field without a sample is an error")
  func noSample() {
    batch.set(.bpm, 1)
    #expect(overflowed)
    batch.removeAll()
    batch.sample(.speed)
    batch.append(1)
    #expect(overflowed, "a number without a list")
  }
}

// The table of known fields has what the sample catalogue has.

import DeclaredSensors
import SampleCatalogue
import Testing

@Suite struct KnownFieldsTests {
  @Test("every field of a sensor's kind has the form of the catalogue")
  func sameForms() {
    var count = 0
    for kind in KindInfo.all {
      let fields = kind.fields.filter { $0.name != "source" }
      if KnownFields.kindsOfServices.contains(kind.name) { continue }
      for field in fields {
        count += 1
        if case .objects(_, let members) = field.form {
          for member in members {
            let found = KnownFields.form(of: member.name, in: "\(kind.name).\(field.name)")
            #expect(found == form(member.form), "\(kind.name).\(field.name) \(member.name)")
          }
        }
        #expect(KnownFields.form(of: field.name, in: kind.name) == form(field.form), "\(kind.name) \(field.name)")
      }
    }
    #expect(count > 100)
  }

  @Test("a file cannot publish a kind of the ride, the position or the guide")
  func kindsOfServices() {
    #expect(KnownFields.kindsOfServices.isSubset(of: KindInfo.all.map(\.name)))
    for kind in KnownFields.kindsOfServices {
      let packet = "[Packet one]\nNotify = 180d 2a37\n"
      let declared = problems(packet + "level = u8\n[Sample \(kind)]\nlevel = level")
      let ofProcess = problems("[Process]\nUser = x\n" + packet + "[Sample \(kind)]\nlevel = number")
      let problem = "[Sample \(kind)]: \(kind) is published by a service, not by a sensor; use another kind"
      #expect(declared == [problem])
      #expect(ofProcess == [problem])
    }
  }

  private func problems(_ rows: String) -> [String] {
    do throws(SensorFile.Problems) {
      _ = try SensorFile(Array((leastHead + rows).utf8), words: SensorWords())
      return []
    } catch {
      return error.list.map(\.text)
    }
  }

  private func form(_ form: FieldInfo.Form) -> KnownFields.Form {
    switch form {
    case .number, .count: .number
    case .numbers, .groups: .numbers
    case .flag, .onlyTrue: .flag
    case .words, .text, .shared: .text
    case .objects: .objects
    }
  }
}

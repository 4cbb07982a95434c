// The table of known fields has what the sample catalogue has.

import DeclaredSensors
import SampleCatalogue
import Testing

@Suite struct KnownFieldsTests {
  /// No sensor publishes these.
  private static let ofServices: Set = [
    "ride", "averages", "lap_averages", "zones", "power_zones", "training", "hrv", "position", "grade", "wheel", "bike",
    "route", "coach",
  ]

  @Test("every field of a sensor's kind has the form of the catalogue")
  func sameForms() {
    var count = 0
    for kind in KindInfo.all {
      let fields = kind.fields.filter { $0.name != "source" }
      if Self.ofServices.contains(kind.name) { continue }
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

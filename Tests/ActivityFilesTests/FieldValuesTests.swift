// The container of measured values.

import ActivityFiles
import Testing

@Suite struct FieldValuesTests {
  @Test("an unset field is unknown, a zero is not")
  func absence() {
    var values = FieldValues<PointField>()
    #expect(values.isEmpty && values[.power] == nil)
    values[.power] = 0
    #expect(values[.power] == 0 && !values.isEmpty)
    values[.power] = nil
    #expect(values == FieldValues())
  }

  @Test("a value that is not finite is unknown")
  func infinity() {
    #expect(FieldValues<PointField>() == [.altitude: .infinity, .speed: .nan])
  }

  @Test("every field has a place and a name of its own")
  func fields() {
    #expect(Set(PointField.allCases.map(\.name)).count == PointField.allCases.count)
    #expect(Set(SummaryField.allCases.map(\.name)).count == SummaryField.allCases.count)
    #expect(PointField.allCases.count <= 40 && SummaryField.allCases.count <= 40)
  }
}

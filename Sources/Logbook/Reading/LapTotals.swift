// The numbers of a lap, as the table `lap` keeps them: an `EffortTotals` with the time of the lap.

import JSON
package import LogbookWire
package import Wire

package struct LapTotals: WireObject, Equatable {
  /// Without pauses by hand. Nil if only the ends of the lap are known.
  package var lapTimeS: Double?
  package var effort = EffortTotals()

  package init() {}

  package init(lapTimeS: Double?, _ effort: EffortTotals) {
    self.lapTimeS = lapTimeS
    self.effort = effort
  }

  package mutating func visit(_ members: inout Members) {
    members.member("lap_time_s", &lapTimeS)
    effort.visit(&members)
  }

  package var text: String {
    var writer = JSONWriter()
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Without numbers if the text is damaged.
  package init(text: String?) {
    self = text.flatMap { try? JSONValue.parse($0) }.flatMap { LapTotals($0) } ?? LapTotals()
  }
}

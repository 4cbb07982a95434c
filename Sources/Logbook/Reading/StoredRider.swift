// The rider's settings in `activity.rider`: what `rider` and `bike` answered at the start and at the
// end of the activity, as `{"start":{"rider":{…},"bike":{…}},"end":{…}}`. The settings alone, as
// `rider` answers them, are accepted as well.

import JSON
package import Metrics
package import SQLite
import Vocabulary

package struct StoredRider: Equatable, Sendable {
  package private(set) var rider = Rider()

  /// Knows nothing if the text is missing or damaged. The settings at the end count.
  package init(text: String?) {
    guard let text, let value = try? JSONValue.parse(text) else { return }
    let time = value["end"] ?? value["start"] ?? value
    let settings = time["rider"] ?? value["start"]?["rider"] ?? time
    for setting in Setting.ofRider { _ = rider.set(setting, to: settings[setting.key]) }
  }

  /// For the numbers of an activity. Files and entries by hand have few settings or none: what theirs
  /// lack is that of the recording before, or else of the first one after.
  package init(of activity: StoredActivity, in database: Database) throws(SQLiteError) {
    self.init(text: activity.rider)
    guard activity.rider == nil else { return }
    let neighbours = [
      "SELECT rider FROM activity WHERE rider IS NOT NULL AND sort_ms <= ?1 ORDER BY sort_ms DESC LIMIT 1",
      "SELECT rider FROM activity WHERE rider IS NOT NULL AND sort_ms > ?1 ORDER BY sort_ms LIMIT 1",
    ]
    for sql in neighbours {
      let rows = try database.prepare(sql)
      try rows.bind(1, activity.sortMS)
      defer { rows.reset() }
      guard try rows.step() else { continue }
      self.init(text: rows.text(0))
      break
    }
    let file = activity.detail.flatMap { try? JSONValue.parse($0) }?["file"]
    set(fromFile: file?["rider"])
    set(fromFile: file?["summary"]?["values"])
    for zones in file?["zones"]?.items ?? [] where zones["lap"] == nil { set(fromFile: zones) }
  }

  /// Values that no rider has, or that contradict the others, are not used.
  private mutating func set(fromFile values: JSONValue?) {
    var read = rider
    for setting in [Setting.maximumHeartRate, .restingHeartRate, .thresholdHeartRate, .thresholdPower] {
      if let value = values?[setting.key] { _ = read.set(setting, to: value) }
    }
    // As FIT numbers them.
    if let sex = values?["sex"]?.integer, 0...1 ~= sex { read.sex = sex == 0 ? .female : .male }
    if read.contradiction == nil { rider = read }
  }

  /// Empty if the settings define no zones.
  package var zoneFloorsBpm: [Double] { HeartRateZones(rider)?.floors ?? [] }
}

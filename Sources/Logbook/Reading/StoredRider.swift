// The rider's settings in `activity.rider`: what `rider` and `bike` answered at the start and at the
// end of the activity, as `{"start":{"rider":{…},"bike":{…}},"end":{…}}`. The settings alone, as
// `rider` answers them, are accepted as well.

import JSON
package import Metrics
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

  /// Empty if the settings define no zones.
  package var zoneFloorsBpm: [Double] { HeartRateZones(rider)?.floors ?? [] }
}

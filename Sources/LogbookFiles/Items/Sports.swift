// Sports: the logbook has words, and files have numbers.

import ActivityFiles

struct SportCodes: Equatable {
  var sport: SportCode?
  var subSport: SubSportCode?

  /// Which sport a kind of it belongs to.
  private static let parents: [(SubSportCode, SportCode)] = [
    (.indoorCycling, .cycling), (.road, .cycling), (.mountain, .cycling), (.downhill, .cycling),
    (.cyclocross, .cycling), (.gravel, .cycling), (.indoorRowing, .rowing), (.lapSwimming, .swimming),
    (.openWater, .swimming), (.strength, .training),
  ]
  /// The word alone says what it is. The kinds of cycling are cycling in lists and statistics.
  private static let ownWords: Set<SubSportCode> = [.strength]

  init(sport: SportCode?, subSport: SubSportCode?) {
    (self.sport, self.subSport) = (sport, subSport)
  }

  /// Unknown words are generic.
  init(word: String) {
    if let sport = SportCode(name: word) {
      self.init(sport: sport, subSport: nil)
    } else if let kind = SubSportCode(name: word), let parent = Self.parents.first(where: { $0.0 == kind })?.1 {
      self.init(sport: parent, subSport: kind)
    } else {
      self.init(sport: .generic, subSport: nil)
    }
  }

  var word: String {
    if let subSport, Self.ownWords.contains(subSport), let name = subSport.name { return name }
    guard let sport else { return "generic" }
    return sport.name ?? "sport_\(sport.rawValue)"
  }
}

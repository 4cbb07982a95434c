// "Did you mean": the closest known word, if it is close enough.

/// The best of `candidates`: one that starts with `word`, or one within a third of its letters.
public func suggestion(for word: String, among candidates: [String]) -> String? {
  if word.count > 1, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
  let scored = candidates.map { (name: $0, distance: distance(word, $0)) }
  guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(1, best.name.count / 3) ? best.name : nil
}

/// Damerau-Levenshtein distance: letters to insert, delete, change, or swap with a neighbour.
func distance(_ left: String, _ right: String) -> Int {
  let left = Array(left.utf8)
  let right = Array(right.utf8)
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      let change = last[column] + (left[row] == right[column] ? 0 : 1)
      var cost = min(change, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}

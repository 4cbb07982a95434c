// Finds the word that someone may have meant.

/// The most similar of these words; nil if none is similar. A word is similar if it begins with
/// `text` and a `_`, or if few letters differ: one, or two of eight or more.
public func similarWord(to text: String, among words: some Sequence<String>) -> String? {
  let most = text.utf8.count < 8 ? 1 : 2
  var best: (word: String, distance: Int)?
  for word in words {
    let isPrefix = word.hasPrefix(text + "_")
    guard isPrefix || abs(word.utf8.count - text.utf8.count) <= most else { continue }
    let distance = isPrefix ? 1 : editDistance(Array(text.utf8), Array(word.utf8))
    if distance > 0, distance <= most, distance < best?.distance ?? .max { best = (word, distance) }
  }
  return best?.word
}

/// How many letters must be inserted, removed, replaced or exchanged with the next one.
private func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...other.count)
  for row in one.indices {
    var current = [row + 1]
    for column in other.indices {
      var least = min(last[column + 1], current[column]) + 1
      least = min(least, last[column] + (one[row] == other[column] ? 0 : 1))
      if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    (beforeLast, last) = (last, current)
  }
  return last[other.count]
}

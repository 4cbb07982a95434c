// What is known of a field or a kind by its name alone. Found out once for each word of the vocabulary when many records are shown.

import SensorKit

/// How a field is called and its numbers are shown.
final class FieldFormat {
  let label: [UInt8]
  let scale: Scale

  init(_ name: String) {
    label = Array(printable(Quantity.label(name)).utf8)
    scale = Scale(of: name)
  }
}

/// The fields of a kind that matter, as `Sample.headlines` has them.
final class KindFormat {
  let headlines: [Word]
  let isRadar: Bool

  init(_ kind: String) {
    headlines = Sample.headlines(kind)
    isRadar = kind == "radar"
  }
}

/// The formats of the words of the vocabulary.
struct FieldFormats {
  private var fields = WordTable<FieldFormat>()
  private var kinds = WordTable<KindFormat>()

  subscript(word: Word) -> FieldFormat {
    mutating get { fields.element(word) { FieldFormat($0.description) } }
  }

  subscript(kind: SampleKind) -> KindFormat {
    mutating get { kinds.element(kind.name) { KindFormat($0.description) } }
  }
}

/// Elements by the address of their words, which is faster than a dictionary that hashes letters. Never more than half full.
private struct WordTable<Element> {
  private var slots = [(word: Word, element: Element)?](repeating: nil, count: 64)
  private var count = 0

  mutating func element(_ word: Word, make: (Word) -> Element) -> Element {
    let place = place(of: word)
    if let slot = slots[place] { return slot.element }
    let element = make(word)
    if 2 * count >= slots.count { grow() }
    slots[self.place(of: word)] = (word, element)
    count += 1
    return element
  }

  /// Where the word is, or belongs.
  private func place(of word: Word) -> Int {
    let mask = UInt(slots.count - 1)
    var place = (word.address ^ word.address >> 7) & mask
    while let slot = slots[Int(place)], slot.word.address != word.address || slot.word != word {
      place = (place + 1) & mask
    }
    return Int(place)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: nil, count: 2 * old.count)
    for case let slot? in old { slots[place(of: slot.word)] = slot }
  }
}

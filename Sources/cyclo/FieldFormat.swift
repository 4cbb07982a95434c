// How fields and kinds are shown, computed from their names once per word of the vocabulary,
// because `decode` shows many records.

import Text
import Vocabulary

/// The label of a field and the format of its numbers.
final class FieldFormat {
  let label: [UInt8]
  let scale: Scale

  init(_ name: String) {
    label = Array(printable(Quantity.label(name)).utf8)
    scale = Scale(of: name)
  }
}

/// The main fields of a kind, from `Sample.headlines`.
final class KindFormat {
  let headlines: [Word]
  let isRadar: Bool
  private let label: [UInt8]

  init(_ kind: String) {
    headlines = Sample.headlines(kind)
    label = Array(printable(Quantity.label(kind)).utf8)
    isRadar = kind == "radar"
  }

  /// Whether the kind tells what the field is, as in `glucose  70.0 mg/dl`.
  func explains(_ field: FieldFormat) -> Bool { label == field.label }
}

/// The formats of the vocabulary's words.
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

/// Keyed by the address of a word, which is faster than hashing its letters. At most half full.
private struct WordTable<Element> {
  /// Empty until the first word, because most verbs show parsed values only.
  private var slots: [(word: Word, element: Element)?] = []
  private var count = 0

  mutating func element(_ word: Word, make: (Word) -> Element) -> Element {
    if !slots.isEmpty, let slot = slots[place(of: word)] { return slot.element }
    let element = make(word)
    if 2 * count >= slots.count { grow() }
    slots[self.place(of: word)] = (word, element)
    count += 1
    return element
  }

  /// The index of the word, or of its free slot.
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
    slots = Array(repeating: nil, count: max(64, 2 * old.count))
    for case let slot? in old { slots[place(of: slot.word)] = slot }
  }
}

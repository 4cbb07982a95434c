// The words of all declared sensors of a program. They last as long as the program, so a program
// has one of these, also if it reads the files again.

internal import SensorKit

public final class SensorWords {
  private var pool: WordPool

  /// 64 files of 64 KiB.
  public static let mostBytes = 64 * 65_536

  public init(bytes: Int = mostBytes) {
    pool = WordPool(bytes: bytes)
  }

  func word(_ text: String) throws(Mistake) -> Word {
    if let word = pool.word(text) { return word }
    let isWord = 1...64 ~= text.utf8.count && text.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95 }
    throw Mistake(
      isWord
        ? "there is no room for more words" : "\"\(text)\" is not a word: up to 64 small letters, digits and _")
  }
}

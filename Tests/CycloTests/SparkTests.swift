// Spark lines, large digits, and the canvas that they are drawn on.

import Testing

@testable import cyclo

struct SparkTests {
  private func text(_ values: [Double?], ascii: Bool = false) -> String {
    Spark(values: values).text(Style(isColoured: false, isUnicode: !ascii))
  }

  @Test("a higher value is a higher bar")
  func higherIs() {
    #expect(text([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
    #expect(text([0, 1, 2, 3, 4, 5, 6], ascii: true) == "_.-=+*#")
  }

  @Test("small changes stay small, and gaps stay gaps")
  func smallChangesStaySmall() {
    #expect(text([100, nil, 101, 100]) == "▄ ▅▄")
    #expect(text([5, 5]) == "▅▅")
    #expect(text([nil, nil]) == "  ")
    #expect(text([0, 0]) == "▅▅")
  }

  @Test("a column is a second, and a value holds for a while")
  func columnSecondAndValueHolds() {
    var history = History()
    for second in [10, 11, 13] { history.append(Double(second), at: Int64(second)) }
    history.append(20, at: 20)
    history.append(21, at: 20)
    #expect(history.seconds(12, before: 21, hold: 2).values == [10, 11, 11, 13, 13, 13, nil, nil, nil, nil, 21, 21])
    #expect(history.seconds(3, before: 30, hold: 2).values == [nil, nil, nil])
    #expect(history.values(6).values == [nil, nil, 10, 11, 13, 21])
    #expect(history.values(2).values == [13, 21])
    #expect(history.seconds(0, before: 21, hold: 2).values == [])
  }

  @Test("no peak of a wave is lost")
  func noPeakOfWaveLost() {
    var wave = [Double](repeating: 0, count: 100)
    wave[37] = 900
    wave[80] = -300
    let style = Style(isColoured: false)
    #expect(Spark(wave: wave, width: 10).values == [0, 0, 0, 900, 0, 0, 0, 0, -300, 0])
    #expect(Spark(wave: [1, 2], width: 4).values == [1, 1, 2, 2])
    #expect(Spark(wave: wave, width: 0).text(style) == "")
  }

  @Test("old columns are dropped")
  func oldColumnsDropped() {
    var history = History()
    for second in 0..<100_000 { history.append(Double(second), at: Int64(second)) }
    #expect(history.values(1000).values.compactMap(\.self).count <= 512)
    #expect(history.values(1).values == [99_999])
  }

  @Test("large digits have rows of equal width")
  func largeDigitsHaveRows() throws {
    for isUnicode in [true, false] {
      let style = Style(isColoured: false, isUnicode: isUnicode)
      for size in DigitSize.allCases {
        let digits = try #require(Digits("-12:34.567890", size, style))
        #expect(digits.rows.count == size.rows)
        #expect(digits.rows.allSatisfy { $0.columns == digits.columns })
      }
    }
    #expect(Digits("1e30", .middle, .plain) == nil)
    #expect(try #require(Digits("42", .middle, .plain)).rows == ["█ █ ▀▀█", "▀▀█ █▀▀", "  ▀ ▀▀▀"])
    let ascii = Style(isColoured: false, isUnicode: false)
    #expect(try #require(Digits("42", .middle, ascii)).rows == ["     _ ", "|_|  _|", "  | |_ "])
  }

  @Test("a canvas keeps what fits")
  func canvasKeepsWhatFits() {
    var canvas = Canvas(columns: 10, rows: 3, style: Style(isColoured: true))
    canvas.write("Herzgurt von Ü", row: 0, column: 0, colour: .good)
    canvas.write("心拍計", row: 1, column: 5)
    canvas.write("x", row: 2, column: 3, colour: .bad)
    canvas.write("y", row: 2, column: 5, colour: .bad)
    canvas.write("z", row: 7, column: 0)
    canvas.write("z", row: 0, column: -1)
    #expect(
      canvas.lines.map { $0.text(style: canvas.style) } == [
        "\u{1B}[32mHerzgurt…\u{1B}[0m", "     心拍…", "   \u{1B}[31mx y\u{1B}[0m",
      ])
  }
}

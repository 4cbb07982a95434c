// Codes are read back, and compared with one that the program of libqrencode drew.

import Testing

@testable import QRCodes

@Suite struct QRCodeTests {
  @Test(
    "a code reads as its text",
    arguments: [
      "a", "http://localhost:8080/pair#0123456789abcdef", "HTTP://CAPITALS.EXAMPLE", "münchen.example",
      "http://192.168.178.201:8081/pair#ABCDEFGHIJKLMNOPQRSTUV", "12345678",
    ])
  func reads(_ text: String) throws {
    let code = try #require(QRCode(text))
    #expect(CodeReader(code.rows).text() == text)
  }

  @Test("a code turned by a quarter does not read as its text")
  func turned() throws {
    let code = try #require(QRCode("cyclometer"))
    let turned = (0..<code.size).map { row in
      String((0..<code.size).map { code.isDark(row: $0, column: row) ? "1" : "0" as Character })
    }
    #expect(CodeReader(turned).text() != "cyclometer")
  }

  /// `qrencode -8 -l L -t ASCII -m 0 bike`
  @Test("a code is the one of the library's program")
  func golden() throws {
    let code = try #require(QRCode("bike"))
    #expect(
      code.rows == [
        "111111100010101111111",
        "100000101010101000001",
        "101110101011001011101",
        "101110100000101011101",
        "101110101111101011101",
        "100000101110001000001",
        "111111101010101111111",
        "000000001000000000000",
        "110100110011101110110",
        "010111011111010101111",
        "010101111001001111101",
        "101010010100111111010",
        "101011111101011100001",
        "000000001010011011101",
        "111111101111101010010",
        "100000100010001000010",
        "101110100010111000001",
        "101110101000011101011",
        "101110100111011101101",
        "100000101011100101000",
        "111111101110010101110",
      ])
  }

  @Test("rows and single modules agree")
  func modules() throws {
    let code = try #require(QRCode("modules"))
    for (row, text) in code.rows.enumerated() {
      for (column, module) in text.enumerated() { #expect(code.isDark(row: row, column: column) == (module == "1")) }
    }
  }

  @Test("a code grows with its text, up to what the largest one holds")
  func sizes() throws {
    #expect(try #require(QRCode("a")).size == 21)
    #expect(try #require(QRCode(String(repeating: "a", count: 2953))).size == 177)
    #expect(QRCode(String(repeating: "a", count: 2954)) == nil)
    #expect(QRCode("") == nil)
  }
}

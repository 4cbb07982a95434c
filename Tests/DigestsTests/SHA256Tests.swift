// The vectors of FIPS 180-4 and of the NIST's test suite, and the digest as text.

import Testing

@testable import Digests

@Suite struct SHA256Tests {
  @Test(
    "a message has the digest of the standard",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func vectors(_ message: String, _ hex: String) {
    let digest = SHA256(of: Array(message.utf8))
    #expect(digest.hex == hex)
    #expect(SHA256(hex: hex) == digest)
  }

  @Test("digests differ if any byte does")
  func equality() throws {
    let digest = SHA256(of: [1])
    for place in 0..<64 {
      var digits = Array(digest.hex.utf8)
      digits[place] = digits[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      let other = try #require(SHA256(hex: String(decoding: digits, as: UTF8.self)))
      #expect(other != digest, "digit \(place)")
    }
  }

  @Test(
    "text that is not a digest is refused",
    arguments: ["", "ba78", String(repeating: "g", count: 64), String(repeating: "0", count: 65), "é"])
  func refused(_ hex: String) {
    #expect(SHA256(hex: hex) == nil)
  }
}

// Secrets are of the wanted length, and each is another.

import Linux
import Testing

@Suite struct RandomBytesTests {
  @Test("random bytes are as many as wanted, and never the same", arguments: [0, 1, 16, 32, 256])
  func make(_ count: Int) {
    #expect(RandomBytes.make(count).count == count)
    if count >= 16 { #expect(RandomBytes.make(count) != RandomBytes.make(count)) }
  }
}

// Facts and responses of every type, encoded as JSON.

import JSON
import SensorKit
import Testing
import Vocabulary

@testable import DaemonCore
@testable import Sensing

@Suite struct FactValueTests {
  @Test("facts of every type become JSON")
  func json() {
    var batch = Batch()
    batch.answer()
    batch.set(Field("number"), 2.5)
    batch.set(Field("flag"), true)
    batch.set(Field("word"), "left")
    batch.beginNumbers(Field("numbers"))
    for number in [1, 2.5] { batch.append(number) }
    batch.beginNumbers(Field("vectors"), inGroupsOf: 3)
    for number in 1...7 { batch.append(Double(number)) }
    batch.beginWords(Field("words"))
    batch.append("time")
    batch.append("place")
    batch.beginObjects(Field("objects"))
    batch.nextObject()
    batch.set(Field("id"), 1)
    batch.set(Field("side"), "right")
    batch.nextObject()
    batch.set(Field("id"), 2)
    batch.endObjects()
    var members: [JSONValue.Member] = []
    for index in batch.entry(0).fields {
      let field = batch.field(index)
      members.append(JSONValue.Member(field.field.name.description, batch.json(field.value)))
    }
    let expected: JSONValue = [
      "number": 2.5, "flag": true, "word": "left", "numbers": [1, 2.5], "vectors": [[1, 2, 3], [4, 5, 6], [7]],
      "words": ["time", "place"], "objects": [["id": 1, "side": "right"], ["id": 2]],
    ]
    #expect(JSONValue.object(members) == expected)
  }
}

// Messages of a broker to a receiver: what dashboards send, and what reaches the refusals, with samples
// and time in between.

/// One seed for each message, and one of all.
func fleetSeeds() -> [[UInt8]] {
  let messages = [
    #"w{"kinds":["heart_rate","radar"],"hz":1,"until":"2026-11-18T11:07:40Z"}"#,
    #"w{"hz":0.1,"until":"2026-11-18T11:16:40.250Z"}"#, #"W{"kinds":["power"],"hz":4,"until":"2036-01-01T00:00:00Z"}"#,
    #"w{"kinds":null,"hz":null,"until":"2026-11-18T12:00:00Z"}"#, #"W{"until":"2020-01-01T00:00:00Z"}"#,
    #"n{"until":"2026-11-18T12:00:00Z"}"#, #"N{"until":"2026-11-18T12:00:00Z"}"#, #"w{"until":5}"#,
    #"w{"kinds":"radar","until":"2026-11-18T12:00:00Z"}"#, #"w{"hz":5,"until":"2026-11-18T12:00:00Z"}"#, "w[]", "w{",
    #"d{"id":"x1","method":"ride","params":{"action":"lap"},"until":"2026-11-18T11:06:45Z"}"#,
    #"D{"id":1,"method":"ride"}"#, #"d{"id":1,"method":"command","params":{"command":"zero_offset"}}"#,
    #"d{"id":1,"method":"pair"}"#, #"d{"id":1.5,"method":"fly"}"#, #"d{"method":"ride"}"#, "d7",
    #"e{"id":1,"method":"ride","until":"2026-11-18T11:06:45Z"}"#,
    #"d{"id":1,"method":"ride","until":"2020-01-01T00:00:00Z"}"#, #"d{"id":1,"method":"ride","until":5}"#,
  ]
  let samples: [UInt8] = [0, 1, 2, 3, 2, 0]
  let pauses: [UInt8] = [5, 1, 40]
  let between = Array("\ns".utf8) + samples + Array("\nt".utf8) + pauses + Array("\nx\nc\ns".utf8) + [0, 2]
  let seeds = messages.map { Array("s".utf8) + [0, 1, 2] + Array("\n\($0)".utf8) + between }
  return seeds + [Array(seeds.joined(separator: Array("\n".utf8)))]
}

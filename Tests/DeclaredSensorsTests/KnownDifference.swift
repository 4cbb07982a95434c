// Where a sensor that is rewritten as a file differs from the built-in one, and why.

/// Lines of a capture that only one of the two gives.
struct KnownDifference: Sendable {
  let capture: String
  let builtIn: [String]
  let declared: [String]

  private init(_ capture: String, builtIn: String, declared: String) {
    self.capture = capture
    self.builtIn = builtIn.split(separator: "\n").map(String.init)
    self.declared = declared.split(separator: "\n").map(String.init)
  }

  // A declared date is one field, so a date that is cut is refused at its first byte. The built-in
  // sensor reads the parts of a date one by one.
  static let oximeter = [
    KnownDifference(
      "PulseOximeter/oximeter-garbage",
      builtIn: #"{"class":"refused","sensor":"ox","t":0.8,"source":"2a5e","error":"truncated","offset":8}"#,
      declared: #"{"class":"refused","sensor":"ox","t":0.8,"source":"2a5e","error":"truncated","offset":5}"#),
    KnownDifference(
      "PulseOximeter/oximeter-specials",
      builtIn: #"{"class":"refused","sensor":"ox","t":16,"source":"2a5e","error":"truncated","offset":11}"#,
      declared: #"{"class":"refused","sensor":"ox","t":16,"source":"2a5e","error":"truncated","offset":5}"#),
  ]

  // `Match` selects the packet before anything is read. It knows whether the first two bytes fit, but
  // has no word for why they do not.
  static let tires = [
    KnownDifference(
      "TirePressure/michelin-steady",
      builtIn: #"""
        {"class":"refused","sensor":"rear","t":9.1,"source":"0828","error":"not_this_protocol","offset":0}
        {"class":"refused","sensor":"rear","t":9.2,"source":"0828","error":"truncated","offset":1}
        {"class":"refused","sensor":"rear","t":9.3,"source":"0828","error":"unknown_frame","offset":1}
        """#,
      declared: #"""
        {"class":"refused","sensor":"rear","t":9.1,"source":"0828","error":"truncated","offset":1}
        {"class":"refused","sensor":"rear","t":9.2,"source":"0828","error":"unknown_frame","offset":0}
        {"class":"refused","sensor":"rear","t":9.3,"source":"0828","error":"unknown_frame","offset":0}
        """#)
  ]

  // The built-in sensor has a quirk for these pedals: it drops the balance without power.
  static let power = [
    KnownDifference(
      "CyclingPower/assioma-quirk",
      builtIn: #"""
        {"class":"sample","sensor":"pedals","kind":"power","seq":2,"t":1,"age_ms":0,"power_w":0}
        {"class":"sample","sensor":"pedals","kind":"power","seq":3,"t":2,"age_ms":0,"power_w":0}
        {"class":"sample","sensor":"pedals","kind":"power","seq":4,"t":3,"age_ms":0,"power_w":0}
        """#,
      declared: [0, 100, 100].enumerated().map { index, balance in
        #"{"class":"sample","sensor":"pedals","kind":"power","seq":\#(index + 2),"t":\#(index + 1),"age_ms":0,"#
          + #""power_w":0,"pedal_balance_pct":\#(balance),"pedal_balance_reference":"left"}"#
      }.joined(separator: "\n"))
  ]

  // The control point is one packet with a fixed mark. Its length is checked before its mark, because
  // checks follow when everything is read. The built-in sensor has a quirk for the cadence sensors.
  static let speedCadence = [
    KnownDifference(
      "CyclingSpeedCadence/combo-garbage",
      builtIn: #"{"class":"refused","sensor":"combo","t":0.8,"source":"2a55","error":"unknown_frame","offset":0}"#,
      declared: #"{"class":"refused","sensor":"combo","t":0.8,"source":"2a55","error":"trailing_bytes","offset":3}"#),
    KnownDifference(
      "CyclingSpeedCadence/wahoo-cadence-quirk",
      builtIn: #"""
        {"class":"sample","sensor":"pod","kind":"cadence","seq":1,"t":1,"age_ms":0,"cadence_rpm":60,"crank_revs":65535}
        {"class":"sample","sensor":"pod","kind":"cadence","seq":2,"t":2,"age_ms":0,"cadence_rpm":60,"crank_revs":65535}
        {"class":"sample","sensor":"pod","kind":"cadence","seq":3,"t":3,"age_ms":0,"cadence_rpm":30,"crank_revs":0}
        {"class":"sample","sensor":"pod","kind":"cadence","seq":4,"t":6.5,"age_ms":0,"cadence_rpm":0,"crank_revs":0}
        """#,
      declared: [
        (1, "1", #""speed_mps":2.105,"distance_delta_m":2.105,"distance_m":2.105,"wheel_revs":65535"#),
        (2, "2", #""speed_mps":2.105,"distance_delta_m":0,"distance_m":2.105,"wheel_revs":65535"#),
        (3, "3", #""speed_mps":1.0525,"distance_delta_m":2.105,"distance_m":4.21,"wheel_revs":65536"#),
        (4, "6.5", #""speed_mps":0,"distance_delta_m":0,"distance_m":4.21,"wheel_revs":65536"#),
      ].map { number, time, members in
        #"{"class":"sample","sensor":"pod","kind":"speed","seq":\#(number),"t":\#(time),"age_ms":0,\#(members)}"#
      }.joined(separator: "\n") + "\n"
        + #"{"class":"sample","sensor":"both","kind":"speed","seq":1,"t":8,"age_ms":0,"distance_delta_m":0,"#
        + #""distance_m":0,"wheel_revs":0}"#),
  ]
}

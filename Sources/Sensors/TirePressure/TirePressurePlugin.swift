// Tire pressure sensors that only broadcast: three families of caps (TPMS1, BR, ITPMS) and
// Michelin's sensors. There is nothing to connect to. A cap sends when the pressure changes and
// rarely otherwise, so its last value holds for 15 minutes. Every received advertisement is a
// sample, even with equal values, because it shows that they are current. A cap's index in its set
// is meant for cars; the wheel comes from the role set by the user.
//
// Some details are uncertain. Only one advertisement of an ITPMS cap is public. Two programs read
// its pressure with different formulas, which agree within 5 % there. Both results are published
// under names of their own, so that they can be compared with a pump. Captures contradict the
// published meaning of a BR cap's status bits, so the byte is published as it is. Michelin's frame
// types 3 and 4 have two independent readers and one public advertisement, the others a single
// source.
//
// FOBO (company 0x0127), Woan (0x0969), A827 caps (0x0002), TyreWiz, Airspy and TL Mini are not
// supported, because their layouts are not public. A connected sensor with the standard pressure
// characteristic is handled by the environment plugin.

public import SensorKit

public struct TirePressurePlugin: SensorPlugin {
  public static let info = SensorInfo(
    id: "tire_pressure", title: "Tire pressure",
    adverts: IndexedCap.adverts + [NamelessCap.advert, AddressedCap.advert, MichelinCap.advert],
    kinds: [.tirePressure], silence: Silence(staleAfter: .seconds(15 * 60), reconnectAfter: nil))

  private var wheel: Word?

  public init(settings: SensorSettings) {
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    wheel = settings.role?.wheel
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard case .manufacturer(let company) = source.origin else { return }
    // This comes first, because the company id of these caps is data and may equal any other.
    if NamelessCap.advert.accepts(name: source.sender.name) {
      try NamelessCap.decode(value, company: company, into: &batch)
    } else {
      try decode(value, of: company, from: source.sender, into: &batch)
    }
    if let wheel { batch.set(Field("wheel"), wheel) }
  }

  private func decode(
    _ value: Span<UInt8>, of company: UInt16, from sender: Sender, into batch: inout Batch
  ) throws(DecodeError) {
    switch company {
    case AddressedCap.company: try AddressedCap.decode(value, from: sender, into: &batch)
    case MichelinCap.company: try MichelinCap.decode(value, into: &batch)
    default: try IndexedCap.decode(value, into: &batch)
    }
  }
}

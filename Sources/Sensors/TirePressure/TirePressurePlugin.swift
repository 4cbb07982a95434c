// Tire pressure by sensors that only broadcast: the caps of three families (TPMS1, BR, ITPMS) and Michelin's. There is
// nothing to connect to. A cap wakes when the pressure changes and is rare otherwise: its last value counts for 15
// minutes. Every advert that is heard is a sample, also one that says the same again, for its age is news. A cap's own
// number in its set (made for cars) says nothing of a bike: which wheel it sits on is the role that the user gives.
//
// Known only in part: of ITPMS caps a single advert is public, and two programs read its pressure by different
// formulas, which agree there within 5 %; neither is taken for the pressure, and they are published by names of their
// own, to be compared with a pump. The published names of a BR cap's status bits contradict captures, so the byte is
// handed on as it is. Of Michelin's frames types 3 and 4 have two independent readers and one public advert, the others
// a single source.
//
// Not understood, for their layouts are not public: FOBO (company 0x0127), Woan (0x0969), A827 caps (0x0002), TyreWiz,
// Airspy, TL Mini. A connected sensor with the standard pressure characteristic is read as a weather sensor that sits
// on a wheel.

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
    wheel = settings.wheel
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: Source, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard case .manufacturer(let company) = source.origin else { return }
    // First, for with these caps the company id is data, and may be anybody's.
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

// Magene's rear radar, L508: a service of its own, silent until it is asked to report. A frame is `57 09 00` and one page of
// the ANT+ radar profile: page A has the slots 0 to 3, page B 4 to 7. A sample has all cars: page B is read together with
// the last page A while that is fresh, and page A with a free slot says that there is no page B. Alone page B can tell of
// cars, but never that the road is clear. The meaning of the sides (1 right, 2 left) has a single source; a level of 3,
// which nothing explains, is handed on.
//
// Of other makers' radars too little is public: Bryton's sends the same pages by a characteristic that no maker confirms,
// Coospo's has pages of its own with a single source, iGPSPORT's and Wahoo's are known by ANT+ only.

public import SensorKit

public struct MageneRadarPlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "8ce5cc01-0a4d-11e9-ab14-d663bd873d93")
  private static let reports = BluetoothUUID(maker: "8ce5cc02-0a4d-11e9-ab14-d663bd873d93")
  private static let startReporting: InlineArray<3, UInt8> = [0x57, 0x09, 0x01]
  /// A page that is older than a silence says nothing of the road any more.
  private static let freshness = Duration.milliseconds(1500)

  public static let info = SensorInfo(
    id: "magene_radar", title: "Magene radar", services: [service],
    characteristics: [.subscribed(reports, of: service)],
    kinds: [.radar], silence: Silence(staleAfter: freshness, reconnectAfter: .seconds(6)))

  private struct HeardPage {
    let page: MagenePage
    let time: MonotonicTime
  }

  private var pageA: HeardPage?
  private var pageB: HeardPage?

  public init(settings: SensorSettings) {}

  /// Asked after the subscription, or the first reports would be missed.
  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    batch.subscribe(Self.service, Self.reports)
    batch.write(Self.startReporting.span, to: Self.service, Self.reports)
  }

  public mutating func disconnected() {
    pageA = nil
    pageB = nil
  }

  public mutating func decode(
    _ value: Span<UInt8>, from source: Source, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let page = try MagenePage(value)
    if page.isSecond {
      pageB = HeardPage(page: page, time: time)
    } else {
      pageA = HeardPage(page: page, time: time)
      if !page.isFull { pageB = nil }
    }
    let first = Self.fresh(pageA, at: time)
    let second = Self.fresh(pageB, at: time)
    let isClear = (first?.isEmpty ?? true) && (second?.isEmpty ?? true)
    if isClear && first == nil { return }
    batch.radar(isClear: isClear)
    first?.append(to: &batch)
    second?.append(to: &batch)
  }

  private static func fresh(_ heard: HeardPage?, at time: MonotonicTime) -> MagenePage? {
    guard let heard, time <= heard.time + freshness else { return nil }
    return heard.page
  }
}

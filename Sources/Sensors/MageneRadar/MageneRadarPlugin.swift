// Magene's rear radar L508, with a service of its own. It is silent until it is told to report. A
// frame is `57 09 00` and one page of the ANT+ radar profile: page A has slots 0 to 3, page B slots
// 4 to 7.
//
// A sample has all cars. Page B is combined with the last page A while that is fresh; a free slot
// on page A means that there is no page B. Page B alone can show cars but not a clear road. The
// meaning of the sides (1 right, 2 left) has a single source. A level of 3 is published as it
// arrives; its meaning is unknown.
//
// Too little is public about radars of other makers. Bryton sends the same pages with a
// characteristic that no maker confirms. Coospo has pages of its own, described by a single source.
// iGPSPORT and Wahoo are only known on ANT+.

public import SensorKit

public struct MageneRadarPlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "8ce5cc01-0a4d-11e9-ab14-d663bd873d93")
  private static let reports = BluetoothUUID(maker: "8ce5cc02-0a4d-11e9-ab14-d663bd873d93")
  private static let startReporting: InlineArray<3, UInt8> = [0x57, 0x09, 0x01]
  /// A page older than this does not show the current road.
  private static let freshness = Duration.milliseconds(1500)

  public static let info = SensorInfo(
    id: "magene_radar", title: "Magene radar", services: [service],
    characteristics: [.subscribed(reports, of: service)],
    kinds: [.radar], silence: Silence(staleAfter: freshness, reconnectAfter: .seconds(6)))

  private struct ReceivedPage {
    let page: MagenePage
    let time: MonotonicTime
  }

  private var pageA: ReceivedPage?
  private var pageB: ReceivedPage?

  public init(settings: SensorSettings) {}

  /// Sent after the subscription; otherwise the first reports would be lost.
  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    batch.subscribe(Self.service, Self.reports)
    batch.write(Self.startReporting.span, to: Self.service, Self.reports)
  }

  public mutating func disconnected() {
    pageA = nil
    pageB = nil
  }

  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let page = try MagenePage(value)
    if page.isSecond {
      pageB = ReceivedPage(page: page, time: time)
    } else {
      pageA = ReceivedPage(page: page, time: time)
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

  private static func fresh(_ received: ReceivedPage?, at time: MonotonicTime) -> MagenePage? {
    guard let received, time <= received.time + freshness else { return nil }
    return received.page
  }
}

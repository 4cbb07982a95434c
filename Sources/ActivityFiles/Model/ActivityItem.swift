// What a file of an activity consists of, the same for every format. A reader emits a sequence of
// items, and a writer accepts one, so that any file can be converted to any format while only one
// item is in memory.
//
// An activity begins with its header. The other items come in the order of the file; points are in
// order of time. A file can hold several activities: each header begins the next one.

public import Time

public enum ActivityItem: Equatable, Sendable {
  case header(ActivityHeader)
  /// A sensor at that time. A second item for the same sensor has its battery level at the end.
  case device(ActivityDevice)
  case point(ActivityPoint)
  /// Comes where the lap ends. If the lap ends at the end of the activity, its summary follows.
  case lap(ActivityLap)
  case event(ActivityEvent)
  case zones(ActivityZones)
  /// The totals of the activity, after its last point in most files. A file with several summaries
  /// after one header has several sports; each summary has its start and its length.
  case summary(ActivitySummary)
  /// Follow the header of a route instead of points.
  case routePoint(RoutePoint)
  case cue(RouteCue)
  /// From readers only: what was repaired or dropped, for the user.
  case warning(String)
  /// From readers only: what the file has and the model does not, such as "message 325".
  case omission(String)
}

public struct ActivityHeader: Equatable, Sendable {
  public enum Content: Sendable {
    case activity, route
  }

  public var content = Content.activity
  /// In whole seconds. All times of the activity count from here. nil if the date is unknown.
  public var start: WallTime?
  /// What a clock on the wall showed more than UTC, in seconds.
  public var utcOffset: Int?
  public var sport: SportCode?
  public var subSport: SubSportCode?
  public var name: String?
  public var note: String?
  /// The computer or program that recorded the activity.
  public var recorder = DeviceLabel()
  public var rider: ActivityRider?
  /// True if altitudes are from a barometer.
  public var hasBarometer = false
  /// All laps, if they are known before the points. Formats whose laps enclose their points need
  /// this; the others use the `lap` items, which come as well.
  public var laps: [ActivityLap] = []

  public init(start: WallTime? = nil, content: Content = .activity) {
    self.start = start
    self.content = content
  }
}

/// The values are private: an export contains them only on request.
public struct ActivityRider: Equatable, Sendable {
  public enum Sex: UInt8, Sendable {
    case female, male
  }

  public var name: String?
  public var sex: Sex?
  public var age: Int?
  public var heightMetres: Double?
  public var weightKilograms: Double?
  public var restingHeartRate: Int?
  public var maxHeartRate: Int?

  public init() {}
}

public struct ActivityEvent: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The timer runs from here on.
    case start(automatic: Bool)
    /// A pause begins, or the activity ends.
    case stop(automatic: Bool)
    /// Any other event, with the numbers of FIT.
    case other(event: UInt8, type: UInt8, data: UInt32?)
  }

  /// Seconds since the start of the activity.
  public var t: Int
  public var kind: Kind

  public init(t: Int, kind: Kind) {
    self.t = t
    self.kind = kind
  }
}

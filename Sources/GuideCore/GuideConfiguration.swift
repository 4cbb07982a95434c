// The guide's configuration: every key, its default, and its valid values.

public import ProgramKit

public struct GuideConfiguration: Configuration, Equatable, Sendable {
  public var logLevel = LogLevel.info

  public init() {}

  public static let dropInFolder = "guide.conf.d"

  public static let keys: [ConfigurationKey<GuideConfiguration>] = [
    ConfigurationKey("Guide", "LogLevel", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 }
  ]
}

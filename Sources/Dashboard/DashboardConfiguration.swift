// The configuration of the dashboard's server: every key, its default, and its valid values.

public import ProgramKit

public struct DashboardConfiguration: Configuration, Equatable, Sendable {
  public var logLevel = LogLevel.info
  /// Host names under which pages reach the server.
  package var names: [String] = []
  package var managesInLAN = false
  /// Whether pages can use control.sock.
  package var controls = true
  package var pageFolder = "/usr/share/cyclometer/web"
  /// Searched before the fonts of Debian's packages.
  package var fontFolders: [String] = []
  /// The folder of a backlight in /sys/class/backlight.
  package var backlight: String?

  public init() {}

  public static let dropInFolder = "web.conf.d"

  public static let keys: [ConfigurationKey<DashboardConfiguration>] = [
    ConfigurationKey("Web", "LogLevel", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 },
    ConfigurationKey("Web", "Name", "host names with blanks between", names(_:)) { $0.names = $1 },
    .flag("Web", "LanManage") { $0.managesInLAN = $1 },
    .flag("Web", "Control") { $0.controls = $1 },
    ConfigurationKey("Files", "Page", "the path of a folder that starts with /", folder(_:)) { $0.pageFolder = $1 },
    ConfigurationKey("Files", "Fonts", "paths of folders that start with /, with blanks between", folders(_:)) {
      $0.fontFolders = $1
    },
    ConfigurationKey("Display", "Backlight", "none, or the path of a folder that starts with /", backlight(_:)) {
      $0.backlight = $1
    },
  ]

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
  }

  /// In lower case, as browsers send them.
  private static func names(_ text: String) -> [String]? {
    let names = words(text).map { $0.lowercased() }
    return names.allSatisfy(isHostName) ? names : nil
  }

  private static func isHostName(_ name: String) -> Bool {
    name.utf8.count <= 253
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
      }
  }

  private static func folder(_ text: String) -> String? { text.hasPrefix("/") ? text : nil }

  private static func folders(_ text: String) -> [String]? {
    let folders = words(text)
    return folders.allSatisfy { $0.hasPrefix("/") } ? folders : nil
  }

  private static func backlight(_ text: String) -> String?? {
    if text == "none" { return .some(nil) }
    return folder(text).map(Optional.some)
  }
}

// The documents that pages store. There are these and no others, so that no name from a request
// becomes the name of a file.

/// A class of screens that share a layout.
public enum ScreenClass: String, CaseIterable, Sendable {
  case small, phone, bike, landscape, tablet
}

public enum DocumentName: Hashable, Sendable {
  case layout(ScreenClass)
  /// What holds for all screens, such as units and language.
  case riderSettings
  /// What holds for a class of screens, such as the size of text.
  case screenSettings(ScreenClass)

  public static let all: [DocumentName] =
    [riderSettings] + ScreenClass.allCases.flatMap { [layout($0), screenSettings($0)] }

  /// From the path of a request; nil if no layout has this name.
  public init?(layout name: String) {
    guard let screen = ScreenClass(rawValue: name) else { return nil }
    self = .layout(screen)
  }

  /// From the path of a request; nil if no settings have this name.
  public init?(settings name: String) {
    if name == "rider" {
      self = .riderSettings
    } else if let screen = ScreenClass(rawValue: name) {
      self = .screenSettings(screen)
    } else {
      return nil
    }
  }

  var file: String {
    switch self {
    case .layout(let screen): "layout-\(screen.rawValue).json"
    case .riderSettings: "settings-rider.json"
    case .screenSettings(let screen): "settings-\(screen.rawValue).json"
    }
  }

  var fallback: String {
    switch self {
    case .layout(let screen): "the screen class \(screen.rawValue) has the first layout again"
    case .riderSettings: "the settings of all screens are those of the first start"
    case .screenSettings(let screen): "the settings of the screen class \(screen.rawValue) are those of the first start"
    }
  }
}

// The verb `map`: its actions.

import CommandTable

/// What `cyclo map` can do.
public enum MapAction: String, CaseIterable, Sendable {
  case add, list, remove
}

enum MapVerb {
  static let definition = Verb(
    "map", "Give the dashboard maps that need no network", group: .dashboard,
    details: [
      "Without maps, the dashboard shows tracks on a plain grid. add sends it a file of raster tiles, "
        + "in the format MBTiles, with PNG, JPEG or WebP images. The dashboard checks it and keeps a "
        + "copy. The map gets the file's name.",
      "Vector tiles are refused. A file has at most 2 GiB, and there are at most 8 maps. list shows "
        + "them with their zoom levels and whom they name as their source. remove NAME deletes one.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(MapAction.allCases.map(\.rawValue))),
      Argument("FILE|NAME", .file, required: false),
    ],
    examples: [
      Example("cyclo map add alps.mbtiles", "a map, called alps"),
      Example("cyclo map list", "the maps, with their sizes"),
      Example("cyclo map remove alps", "delete it from the dashboard"),
    ])
}

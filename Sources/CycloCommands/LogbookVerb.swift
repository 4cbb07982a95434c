// The verb `logbook`: its actions and options.

public import CommandTable

/// What `cyclo logbook` can do.
public enum LogbookAction: String, CaseIterable, Sendable {
  case list, show, stats, fitness, records, export, `import`, backup, add, edit, delete, restore, routes, route
}

/// What can color the picture of a route, the most wanted first.
public enum RouteColor: String, CaseIterable, Sendable {
  case heartRate = "heart_rate"
  case speed, power, grade
}

extension Option {
  public static let format = Option(
    "format", .required(UserWord("FORMAT", .oneOf(["fit", "gpx", "tcx", "csv", "ndjson"]))),
    "Format of the file; fit by default")
  public static let output = Option(
    "output", short: "o", .required(UserWord("FILE", .file)), "Write to FILE; - for standard output")
  public static let by = Option(
    "by", .required(UserWord("PERIOD", .oneOf(["day", "week", "month", "year"]))), "Add up by day, week, month or year")
  public static let sport = Option("sport", .required(UserWord("SPORT", .text)), "Only this sport, or the sport to set")
  public static let limit = Option("limit", .required(UserWord("COUNT", .count)), "Show at most COUNT; 50 by default")
  public static let search = Option(
    "search", .required(UserWord("TEXT", .text)), "Only those with TEXT in name or note")
  public static let deleted = Option("deleted", .none, "List what was deleted and can be restored")
  public static let title = Option("title", .required(UserWord("TITLE", .text)), "Set the name of the activity")
  public static let note = Option("note", .required(UserWord("TEXT", .text)), "Set the note")
  public static let start = Option("start", .required(UserWord("TIME", .text)), "When it started: 2026-05-03T09:30")
  public static let duration = Option(
    "duration", .required(UserWord("TIME", .text)), "How long it took: 1:30:00 or 90:00")
  public static let distance = Option(
    "distance", .required(UserWord("DISTANCE", .text)), "How far: 1500m, 42.2km or 26mi")
  public static let crop = Option(
    "crop", .required(UserWord("FROM-TO", .text)), "Show only this part, such as 0:30-1:45:00")
  public static let split = Option(
    "split", .required(UserWord("TIME", .text)), "Make two activities, the second from TIME on")
  public static let join = Option(
    "join", .required(UserWord("ID", .text)), "Join ID to it; can be repeated", repeated: true)
  public static let revert = Option("revert", .none, "Undo --crop, --split and --join")
  public static let asRoute = Option("route", .none, "Import as a route, whatever the file contains")
  public static let picture = Option("svg", .none, "Write the route as a picture, in the format SVG")
  public static let color = Option(
    "color", .required(UserWord("VALUE", .oneOf(RouteColor.allCases.map(\.rawValue)))),
    "Color the picture by VALUE; heart_rate by default")
}

extension Verb {
  static let logbook = Verb(
    "logbook", "List, show, export, import and edit recorded activities", group: .recordings,
    details: [
      "The recorder, cyclometer-recorder, keeps your activities. list shows them, the newest first. "
        + "show prints one: totals, laps, zones, and graphs of elevation and heart rate. stats adds "
        + "them up by day, week, month or year.",
      "fitness prints the training load of each day, and fitness, fatigue and form that follow from "
        + "it. records prints the best activities of each sport, and days and weeks in a row.",
      "show --svg writes a picture of the route to standard output, or to a file with -o. It needs "
        + "no map: it has a grid, a scale, north, and the lowest and highest value. Gaps stay gaps. "
        + "Remember that it shows where you live if you start there.",
      "ID is the number that list shows. last, today, yesterday and a date such as 2026-05-03 work "
        + "too. If several activities match, they are listed.",
      "export writes one activity to a file, or to standard output with -o -. FILE is replaced as a "
        + "whole. import reads FIT, GPX, TCX and JSON files and backups. Courses become routes. "
        + "backup saves the whole logbook to a file, which import reads back.",
      "add creates an activity that no sensor recorded; it needs --sport, --start and --duration. "
        + "edit changes it. Edits never change what was recorded: --revert undoes --crop, --split and "
        + "--join. delete can be undone for 30 days with restore. routes lists the routes, and route "
        + "ID writes one to a file.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(LogbookAction.allCases.map(\.rawValue))),
      Argument("ID|FILE", .file, required: false, repeated: true),
    ],
    options: [
      .format, .output, .by, .sport, .limit, .search, .deleted, .title, .note, .start, .duration, .distance, .crop,
      .split, .join, .revert, .asRoute, .picture, .color,
    ],
    examples: [
      Example("cyclo logbook list --limit 10", "the last ten activities"),
      Example("cyclo logbook show last", "the last one, with laps and graphs"),
      Example("cyclo logbook show last --svg -o ride.svg", "its route, colored by heart rate"),
      Example("cyclo logbook export last -o ride.fit", "a file for a training site"),
      Example("cyclo logbook import tour.gpx ride.fit", "files of other programs"),
      Example("cyclo logbook stats --by month --sport cycling", "totals by month"),
      Example("cyclo logbook edit last --crop 0-1:45:00", "without the way home"),
      Example("cyclo logbook backup logbook.db", "before you change the card"),
    ])
}

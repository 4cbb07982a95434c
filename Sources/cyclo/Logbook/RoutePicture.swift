// The route of an activity as one SVG image: the page's map for people without the page. It needs no
// tiles: a grid, a scale and north. Colors and widths are those of the page's light map.

import CycloCommands
import Earth
import LogbookWire

struct RoutePicture {
  private let track: RouteTrack
  private let coloring: RouteColoring?
  private let activity: ActivityRecord
  private let style: Style
  private let frame: MapFrame

  init(_ track: RouteTrack, _ coloring: RouteColoring?, of activity: ActivityRecord, units: UnitSystem) {
    (self.track, self.coloring, self.activity) = (track, coloring, activity)
    // A file is read elsewhere, so the terminal's locale does not limit its characters.
    style = Style(isColoured: false, units: units)
    frame = MapFrame(around: track.box, top: Self.header)
  }

  /// Above the map, and below it.
  private static let header = 64.0
  private static let footer = 56.0
  private static let margin = 16.0

  private enum Palette {
    static let (ground, ink, faint, line, start) = ("#ffffff", "#000000", "#555555", "#e5e5e5", "#2e8b08")
    /// Of the steps 0, without a value, to 5.
    static let steps = ["#555555", "#90caf9", "#1976d2", "#60bd10", "#f57c00", "#d32f2f"]
  }

  /// So wide that steps are told apart without colors.
  private static func width(of step: Int) -> Int { step == 0 ? 2 : 2 + step }
  private static let plainWidth = 4
  /// Of the ground, on each side of the track.
  private static let edge = 2
  /// Pixels of one color at least, and the runs of color there may be, about.
  private static let (stretch, mostRuns) = (4.0, 1000.0)

  var svg: String {
    let (width, height) = (frame.width, Self.header + frame.height + Self.footer)
    var markup = Markup()
    markup.begin(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(number(width)) \(number(height))",
        "width": number(width), "height": number(height), "role": "img", "font-family": "sans-serif",
        "font-size": "14", "stroke-linecap": "round", "stroke-linejoin": "round", "fill": Palette.ink,
      ])
    markup.element("title", content: activity.title)
    markup.element("desc", content: description)
    markup.element("rect", ["width": number(width), "height": number(height), "fill": Palette.ground])
    writeHeading(&markup)
    writeGrid(&markup)
    writeTrack(&markup)
    writeEnds(&markup)
    writeScale(&markup)
    writeNorth(&markup)
    writeLegend(&markup, top: height - Self.footer)
    markup.end()
    return markup.text
  }

  // MARK: Words

  private func number(_ value: Double) -> String { Quantity.short(value, places: 1) }

  private func amount(_ field: String, _ value: Double) -> String { Quantity.text(field, value, style) }

  private var distance: String { amount("distance_m", activity.totals.distanceM ?? track.length) }

  private var description: String {
    guard let coloring else { return "\(distance), \(activity.localStart)" }
    let (low, high) = ends(of: coloring)
    return "\(distance), \(activity.localStart), colored by \(coloring.color.words) from \(low) to \(high)"
  }

  private func ends(of coloring: RouteColoring) -> (low: String, high: String) {
    (amount(coloring.color.field, coloring.low), amount(coloring.color.field, coloring.high))
  }

  private func writeHeading(_ markup: inout Markup) {
    let title = activity.title.fitted(to: 64, style)
    markup.element(
      "text", ["x": number(Self.margin), "y": "28", "font-size": "20", "font-weight": "bold"], content: title)
    let time = (activity.rideTimeS ?? activity.elapsedTimeS).map { ", \(amount("ride_time_s", $0))" } ?? ""
    markup.element(
      "text", ["x": number(Self.margin), "y": "50", "fill": Palette.faint],
      content: "\(activity.localStart), \(distance)\(time)")
  }

  // MARK: The map

  private func writeGrid(_ markup: inout Markup) {
    let (least, most, step) = (frame.toPlane(0, frame.height), frame.toPlane(frame.width, 0), frame.gridStep)
    var path = ""
    for x in stride(from: (least.x / step).rounded(.up) * step, through: most.x, by: step) {
      path += "M\(number(frame.toScreen(PlanePoint(x: x, y: 0)).x)) \(number(frame.top))v\(number(frame.height))"
    }
    for y in stride(from: (least.y / step).rounded(.up) * step, through: most.y, by: step) {
      path += "M0 \(number(frame.toScreen(PlanePoint(x: 0, y: y)).y))h\(number(frame.width))"
    }
    path +=
      "M0 \(number(frame.top))h\(number(frame.width))M0 \(number(frame.top + frame.height))h\(number(frame.width))"
    markup.element("path", ["class": "grid", "d": path, "stroke": Palette.line, "fill": "none"])
  }

  /// Lines by their steps; nil without a color.
  private var lines: [(step: Int?, path: String)] {
    let shortest = max(Self.stretch * frame.metresPerPixel, track.length / Self.mostRuns)
    var paths: [Int?: String] = [:]
    for piece in track.pieces {
      let runs = coloring?.runs(of: piece, in: track, stretch: shortest)
      for (step, range) in runs?.map({ (Optional($0.step), $0.range) }) ?? [(nil, piece)] {
        paths[step, default: ""] += path(of: track.simplified(range, tolerance: frame.metresPerPixel / 2))
      }
    }
    return paths.map { (step: $0.key, path: $0.value) }.sorted { ($0.step ?? 0) < ($1.step ?? 0) }
  }

  private func path(of points: [Int]) -> String {
    let places = points.map { index in
      let place = frame.toScreen(track.places[index])
      return "\(number(place.x)) \(number(place.y))"
    }
    // A line of one point is a dot.
    return "M" + places.joined(separator: "L") + (places.count == 1 ? "h0" : "")
  }

  private func writeTrack(_ markup: inout Markup) {
    let lines = lines
    func width(_ step: Int?) -> Int { step.map(Self.width) ?? Self.plainWidth }
    markup.begin("g", ["class": "edge", "fill": "none", "stroke": Palette.ground])
    for (step, path) in lines {
      markup.element("path", ["d": path, "stroke-width": String(width(step) + 2 * Self.edge)])
    }
    markup.end()
    markup.begin("g", ["class": "track", "fill": "none"])
    for (step, path) in lines {
      let color = step.map { Palette.steps[$0] } ?? Palette.ink
      markup.element(
        "path",
        [
          "class": step.map { "step-\($0)" } ?? "plain", "d": path, "stroke": color,
          "stroke-width": String(width(step)),
        ])
    }
    markup.end()
  }

  /// A ring with S, and a chequered square with F. On a round trip they stand side by side.
  private func writeEnds(_ markup: inout Markup) {
    var (from, to) = (frame.toScreen(track.start), frame.toScreen(track.finish))
    let apart = 12.0
    if (from - to).length < 2 * apart {
      let middle = (from + to) * 0.5
      (from, to) = (PlanePoint(x: middle.x - apart, y: middle.y), PlanePoint(x: middle.x + apart, y: middle.y))
    }
    let (size, cell) = (20.0, 4.0)
    let (left, top) = (to.x - size / 2, to.y - size / 2)
    func square(_ x: Double, _ y: Double, _ side: Double) -> String {
      "M\(number(x)) \(number(y))h\(number(side))v\(number(side))h\(number(-side))z"
    }
    let cells = stride(from: 0, to: 25, by: 2).map { index in
      square(left + Double(index % 5) * cell, top + Double(index / 5) * cell, cell)
    }
    markup.begin("g", ["class": "finish"])
    markup.element("path", ["d": square(left - 2, top - 2, size + 4), "fill": Palette.ground])
    markup.element("path", ["d": cells.joined()])
    markup.element("path", ["d": square(left + cell, top + cell, 3 * cell), "fill": Palette.ground])
    writeLetter("F", at: to, &markup)
    markup.end()
    markup.begin("g", ["class": "start"])
    markup.element("circle", ["cx": number(from.x), "cy": number(from.y), "r": "12", "fill": Palette.ground])
    markup.element(
      "circle",
      [
        "cx": number(from.x), "cy": number(from.y), "r": "8.5", "fill": "none", "stroke": Palette.start,
        "stroke-width": "3",
      ])
    writeLetter("S", at: from, &markup)
    markup.end()
  }

  private func writeLetter(_ letter: String, at place: PlanePoint, _ markup: inout Markup) {
    markup.element(
      "text",
      [
        "x": number(place.x), "y": number(place.y + 4), "font-size": "12", "font-weight": "bold",
        "text-anchor": "middle",
      ], content: letter)
  }

  private func writeScale(_ markup: inout Markup) {
    let bar = frame.scaleBar(style.units)
    let (left, bottom) = (Self.margin, frame.top + frame.height - Self.margin)
    let path = "M\(number(left)) \(number(bottom - 5))v5h\(number(bar.metres / frame.metresPerPixel))v-5"
    markup.begin("g", ["class": "scale"])
    markup.element("path", ["d": path, "fill": "none", "stroke": Palette.ground, "stroke-width": "5"])
    markup.element("path", ["d": path, "fill": "none", "stroke": Palette.ink, "stroke-width": "1.5"])
    writeHaloed(bar.text, x: left + 5, y: bottom - 6, &markup)
    markup.end()
  }

  private func writeHaloed(_ text: String, x: Double, y: Double, _ markup: inout Markup) {
    let (x, y) = (number(x), number(y))
    markup.element(
      "text", ["x": x, "y": y, "stroke": Palette.ground, "stroke-width": "4", "fill": "none"], content: text)
    markup.element("text", ["x": x, "y": y], content: text)
  }

  private func writeNorth(_ markup: inout Markup) {
    let (x, y) = (frame.width - Self.margin - 9, frame.top + Self.margin + 9)
    markup.begin("g", ["class": "north"])
    markup.element(
      "path",
      [
        "d": "M\(number(x)) \(number(y - 9))l5.4 18l-5.4 -4.5l-5.4 4.5z", "stroke": Palette.ground,
        "stroke-width": "4", "paint-order": "stroke",
      ])
    writeHaloed("N", x: x - 5, y: y + 26, &markup)
    markup.end()
  }

  // MARK: The legend

  private func writeLegend(_ markup: inout Markup, top: Double) {
    let baseline = top + 32
    guard let coloring else { return }
    let (low, high) = ends(of: coloring)
    markup.begin("g", ["class": "legend"])
    let words = coloring.color.words
    markup.element(
      "text", ["x": number(Self.margin), "y": number(baseline), "fill": Palette.faint],
      content: words.prefix(1).uppercased() + words.dropFirst())
    let (left, length) = (240.0, 64.0)
    markup.element("text", ["x": number(left - 10), "y": number(baseline), "text-anchor": "end"], content: low)
    for step in 1...RouteColoring.steps {
      let x = left + Double(step - 1) * length
      let height = Double(Self.width(of: step))
      markup.element(
        "rect",
        [
          "class": "step-\(step)", "x": number(x), "y": number(baseline - 2 - height), "width": number(length),
          "height": number(height), "fill": Palette.steps[step],
        ])
      if !coloring.floors.isEmpty {
        markup.element(
          "text",
          ["x": number(x + length / 2), "y": number(baseline + 14), "font-size": "12", "text-anchor": "middle"],
          content: String(step))
      }
    }
    let right = left + Double(RouteColoring.steps) * length
    markup.element("text", ["x": number(right + 10), "y": number(baseline)], content: high)
    markup.end()
  }
}

// The radar as a road: the rider at the right end, and vehicles behind to scale. An empty road is
// drawn only if the radar says that it is clear; without data there is no road.

import Linux

struct Road {
  let tile: Tile
  let picture: RadarPicture
  private var style: Style { tile.style }

  /// One row: text only. Three: text and a flat road. Six: a wide road with distances.
  func draw(on canvas: inout Canvas, in frame: Frame, rows: Int) {
    drawWords(on: &canvas, in: frame)
    if rows == 1 { return }
    let isFlat = rows == 3
    let lane = frame.row + (isFlat ? 1 : 2)
    guard tile.isCurrent else { return drawUnknown(on: &canvas, in: frame, lane: lane) }
    let rider = style.either("█", ascii: "|")
    let road = frame.columns - rider.columns
    if isFlat {
      let surface = String(repeating: style.either("╌", ascii: "-"), count: road)
      canvas.write(surface, row: lane, column: frame.column, colour: .faint)
    } else {
      let edge = String(repeating: style.either("─", ascii: "-"), count: frame.columns)
      for row in [lane - 1, lane + 1] {
        canvas.write(edge, row: row, column: frame.column, colour: picture.cars.isEmpty ? picture.colour : .faint)
      }
    }
    canvas.write(rider, row: lane, column: frame.end - rider.columns, colour: .strong)
    drawCars(on: &canvas, in: frame, lane: lane, room: road, labels: isFlat ? nil : lane + 2)
  }

  private func drawWords(on canvas: inout Canvas, in frame: Frame) {
    var column = frame.column
    column += canvas.write(tile.title, row: frame.row, column: column, colour: .strong, width: frame.columns) + 2
    if case .past(let words) = tile.standing {
      let age = ageText(tile.reading.age(at: tile.now))
      canvas.write(
        "blind for \(age): \(words)", row: frame.row, column: column, colour: .bad, width: frame.end - column)
      return
    }
    let fast = picture.cars.contains { $0.level > 1 } ? ", fast" : ""
    column += canvas.write(
      valueText(style, picture.writeHeadline) + fast, row: frame.row, column: column, colour: picture.colour,
      width: frame.end - column)
    let room = frame.end - column - 2
    // One or two letters do not identify a car.
    guard room >= 8 else { return }
    let name = tile.owner.fitted(to: max(0, min(room, 20)), style)
    canvas.write(name, row: frame.row, endingAt: frame.end, room: room, colour: .faint)
  }

  private func drawUnknown(on canvas: inout Canvas, in frame: Frame, lane: Int) {
    let marks = String((0..<frame.columns).map { $0 % 4 == 1 ? "?" : " " }).trimmedAtEnd
    canvas.write(marks, row: lane, column: frame.column, colour: .bad)
  }

  /// The nearest car is drawn last, over the others.
  private func drawCars(on canvas: inout Canvas, in frame: Frame, lane: Int, room: Int, labels: Int?) {
    let farthest = max(reach, picture.cars.last?.metres ?? 0)
    var freeFrom = frame.end
    for car in picture.cars.reversed() {
      let shape = style.either("██►", ascii: "==>")
      let head = place(car, farthest, room)
      let start = max(0, head - shape.columns + 1)
      canvas.write(
        String(shape.suffix(head - start + 1)), row: lane, column: frame.column + start, colour: car.colour)
    }
    guard let labels else { return }
    for car in picture.cars {
      let text = valueText(style, car.writeDistance) + (car.level > 1 ? "!" : "")
      let start = max(frame.column, frame.column + place(car, farthest, room) - text.columns + 1)
      // If two labels would touch, the nearer car keeps its label.
      guard start + text.columns < freeFrom else { continue }
      canvas.write(text, row: labels, column: start, colour: car.colour)
      freeFrom = start
    }
  }

  /// The range of such radars.
  private var reach: Double { 150 }

  private func place(_ car: RadarPicture.Car, _ farthest: Double, _ room: Int) -> Int {
    let part = max(0, min(1, car.metres / farthest))
    return max(0, room - 1 - Int((part * Double(room - 1)).rounded()))
  }
}

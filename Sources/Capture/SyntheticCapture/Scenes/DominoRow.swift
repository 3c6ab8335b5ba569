internal import Glibc

/// A row of dominoes that fall one after the other and stand up together. The wall clock drives the row.
struct DominoRow {
  /// Milliseconds from one fall of the first domino to its next fall.
  static let cycle = 6000
  private static let count = 24
  private static let color = YCbCr(200, 118, 138)
  /// Milliseconds from the beginning of one domino's fall to that of the next domino, and milliseconds that one domino
  /// takes to fall.
  private static let (delay, fall) = (120, 400)
  /// The number of steps in which a domino falls.
  private static let steps = 12
  /// The angle of a fallen domino, which rests on the next one, in radians from upright.
  private static let restingAngle = 1.15

  private let area: Rectangle
  /// How far each domino has fallen, in steps: 0 is upright, `steps` is fallen.
  private var tilts = Array(repeating: 0, count: count)

  init(area: Rectangle) { self.area = area }

  func drawStanding(on canvas: Canvas, background: YCbCr) { draw(on: canvas, background) }

  /// Draws the row as it stands at an instant of its cycle, in milliseconds below ``cycle``. Draws nothing when no
  /// domino has moved.
  mutating func update(milliseconds: Int, on canvas: Canvas, background: YCbCr) {
    let now = (0..<Self.count).map {
      max(0, min(Self.steps, (milliseconds - $0 * Self.delay) * Self.steps / Self.fall))
    }
    guard now != tilts else { return }
    tilts = now
    draw(on: canvas, background)
  }

  /// Draws every domino, because leaning dominoes overlap.
  private func draw(on canvas: Canvas, _ background: YCbCr) {
    canvas.fill(area, background)
    let pitch = Double(area.width) / Double(Self.count + 2)
    let (height, thickness) = (min(2.2 * pitch, 0.9 * Double(area.height)), 0.3 * pitch)
    let ground = Double(area.y + area.height)
    for (index, tilt) in tilts.enumerated() {
      let angle = Self.restingAngle * Double(tilt) / Double(Self.steps)
      let (s, c) = (sin(angle), cos(angle))
      // A domino turns about its lower right corner.
      let x = Double(area.x) + (Double(index) + 0.8) * pitch
      let corners = [(0.0, 0.0), (-thickness, 0.0), (-thickness, height), (0.0, height)]
      canvas.fill(polygon: corners.map { (x + $0.0 * c + $0.1 * s, ground - ($0.1 * c - $0.0 * s)) }, Self.color)
    }
  }
}

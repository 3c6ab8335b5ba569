internal import SystemClocks

/// A scene from which a person can read the time: three rows of running lights above, falling dominoes below.
///
/// The first row of lights moves one step per frame, the second row every tenth of a second, the third row every
/// second.
final class LightboardScene: Scene {
  private static let background = YCbCr(58, 124, 122)
  private static let off = YCbCr(40, 126, 126)
  private static let rows = [
    Row(lights: 32, color: YCbCr(190, 60, 90)), Row(lights: 10, color: YCbCr(170, 44, 170)),
    Row(lights: 60, color: YCbCr(150, 150, 60)),
  ]

  private struct Row {
    var lights: Int
    var color: YCbCr
  }

  private let stage: Rectangle
  private var lit: [Int]
  private var dominoes: DominoRow

  init(on canvas: Canvas) {
    stage = canvas.stage
    lit = Array(repeating: 0, count: Self.rows.count)
    let floor = stage.height / 16
    dominoes = DominoRow(
      area: Rectangle(
        x: stage.width / 16, y: stage.y + stage.height / 2, width: stage.width - stage.width / 8,
        height: stage.height / 2 - floor))
    canvas.fill(Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height), Self.background)
    for (index, row) in Self.rows.enumerated() {
      for light in 0..<row.lights { draw(light == 0 ? row.color : Self.off, light, row: index, on: canvas) }
    }
    dominoes.drawStanding(on: canvas, background: Self.background)
  }

  func update(_ canvas: Canvas, sequence: UInt64, time: WallInstant) {
    let instant = time.nanoseconds
    let steps = [sequence, instant / 100_000_000, instant / 1_000_000_000]
    for (index, row) in Self.rows.enumerated() {
      let light = Int(steps[index] % UInt64(row.lights))
      guard light != lit[index] else { continue }
      draw(Self.off, lit[index], row: index, on: canvas)
      draw(row.color, light, row: index, on: canvas)
      lit[index] = light
    }
    dominoes.update(
      milliseconds: Int(instant / 1_000_000 % UInt64(DominoRow.cycle)), on: canvas, background: Self.background)
  }

  private func draw(_ color: YCbCr, _ light: Int, row: Int, on canvas: Canvas) {
    let lights = Self.rows[row].lights
    let (left, right) = (light * stage.width / lights, (light + 1) * stage.width / lights)
    let pitch = stage.height / 7
    let gap = max(2, (right - left) / 5)
    canvas.fill(
      Rectangle(
        x: left + gap / 2, y: stage.y + pitch / 4 + row * pitch, width: right - left - gap, height: pitch * 3 / 4),
      color)
  }
}

import CaptureCore

/// A colour in red, green and blue, each 0 to 255. The tests compute colours in double precision from the standards, to
/// compare the code under test with.
struct RGB: Equatable {
  var r, g, b: Double

  init(_ r: Double, _ g: Double, _ b: Double) { (self.r, self.g, self.b) = (r, g, b) }

  init(_ c: YCC) {
    let (kr, kb) = c.weights
    let y = c.range == .full ? c.y : (c.y - 16) * 255 / 219
    let u = (c.u - 128) * (c.range == .full ? 1 : 255.0 / 224)
    let v = (c.v - 128) * (c.range == .full ? 1 : 255.0 / 224)
    r = y + 2 * (1 - kr) * v
    b = y + 2 * (1 - kb) * u
    g = (y - kr * r - kb * b) / (1 - kr - kb)
  }

  /// The largest difference between two components of the same name.
  func distance(to other: RGB) -> Double { max(abs(r - other.r), abs(g - other.g), abs(b - other.b)) }
}

/// A colour in luma and chroma, in code values of a range and a matrix. See ``RGB``.
struct YCC {
  var y, u, v: Double
  var range: FrameLayout.Range = .full
  var matrix: FrameLayout.Matrix = .bt601

  var weights: (kr: Double, kb: Double) { matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722) }

  init(y: Double, u: Double, v: Double, range: FrameLayout.Range, matrix: FrameLayout.Matrix) {
    (self.y, self.u, self.v, self.range, self.matrix) = (y, u, v, range, matrix)
  }

  init(_ c: RGB, range: FrameLayout.Range = .full, matrix: FrameLayout.Matrix = .bt601) {
    (y, u, v, self.range, self.matrix) = (0, 0, 0, range, matrix)
    let (kr, kb) = weights
    let luma = kr * c.r + (1 - kr - kb) * c.g + kb * c.b
    let (cb, cr) = ((c.b - luma) / (2 * (1 - kb)), (c.r - luma) / (2 * (1 - kr)))
    y = range == .full ? luma : 16 + luma * 219 / 255
    u = 128 + cb * (range == .full ? 1 : 224.0 / 255)
    v = 128 + cr * (range == .full ? 1 : 224.0 / 255)
  }

  /// The largest difference between two components of the same name.
  func distance(to other: YCC) -> Double { max(abs(y - other.y), abs(u - other.u), abs(v - other.v)) }
}

internal import CYUV
internal import CaptureCore
internal import Foundation

/// A curve from sample values to light, in units of a screen's white.
struct ToneCurve: Sendable {
  /// The light of a sample value between 0 and 1.
  let light: @Sendable (Double) -> Double
  /// The light of the sample value 1, in units of a screen's white.
  let peak: Double
  private let tables: (light: [Float], gain: [Float])

  /// The curve of a screen (ITU-R BT.1886).
  static let standard = ToneCurve(peak: 1) { pow($0, 2.4) }
  /// The PQ curve (SMPTE ST 2084), whose peak is 10,000 cd/m².
  static let pq = ToneCurve(peak: 10_000 / referenceWhite) { 10_000 / referenceWhite * pqLight($0) }

  /// The luminance of a screen's white in cd/m² (ITU-R BT.2408).
  static let referenceWhite = 203.0
  /// The light, in units of a screen's white, up to which a picture is shown exactly. Light above the knee is
  /// compressed.
  static let knee = 0.5

  private static let count = Int(CYUV_TONES)
  /// The sample values of a screen, 0 to 1, indexed by the square root of light.
  private static let code: [Float] = (0..<count).map { Float(pow(Double($0) / Double(count - 1), 2 / 2.4)) }

  private init(peak: Double, light: @escaping @Sendable (Double) -> Double) {
    self.light = light
    self.peak = peak
    let all = (0..<Self.count).map { light(Double($0) / Double(Self.count - 1)) }
    tables = (all.map { Float($0) }, all.map { Float($0 > 0 ? Self.compressed($0, peak: peak) / $0 : 1) })
  }

  /// Compresses light above the knee by Reinhard's curve with a white point.
  ///
  /// The curve continues at the knee with the slope that the exact part has, and reaches 1 at `peak`.
  static func compressed(_ light: Double, peak: Double) -> Double {
    guard light > knee, peak > 1 else { return light }
    let (above, most) = ((light - knee) / (1 - knee), (peak - knee) / (1 - knee))
    return knee + (1 - knee) * above * (1 + above / (most * most)) / (1 + above)
  }

  /// Calls `body` with the tables of light, gain and screen samples, in this order. Each has `CYUV_TONES` entries, and
  /// is valid during the call.
  func withTables(_ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
    tables.light.withUnsafeBufferPointer { light in
      tables.gain.withUnsafeBufferPointer { gain in
        Self.code.withUnsafeBufferPointer { body(light.baseAddress!, gain.baseAddress!, $0.baseAddress!) }
      }
    }
  }

  /// The light of a PQ sample between 0 and 1, as a fraction of 10,000 cd/m².
  private static func pqLight(_ sample: Double) -> Double {
    let power = pow(sample, 1 / 78.84375)
    return pow(max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
  }
}

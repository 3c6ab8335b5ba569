internal import CYUV
internal import CaptureCore
internal import Foundation

/// From samples to light that a screen has, in units of its white.
struct ToneCurve: Sendable {
  /// Light of a sample of 0...1.
  let light: @Sendable (Double) -> Double
  /// The most light there is.
  let peak: Double
  private let tables: (light: [Float], gain: [Float])

  /// A screen's own (BT.1886).
  static let standard = ToneCurve(peak: 1) { pow($0, 2.4) }
  /// SMPTE ST 2084.
  static let pq = ToneCurve(peak: 10_000 / referenceWhite) { 10_000 / referenceWhite * pqLight($0) }

  /// cd/m² (ITU-R BT.2408).
  static let referenceWhite = 203.0
  /// Up to here light is shown as it is.
  static let knee = 0.5

  private static let count = Int(CYUV_TONES)
  /// A screen's samples by the square root of light.
  private static let code: [Float] = (0..<count).map { Float(pow(Double($0) / Double(count - 1), 2 / 2.4)) }

  private init(peak: Double, light: @escaping @Sendable (Double) -> Double) {
    self.light = light
    self.peak = peak
    let all = (0..<Self.count).map { light(Double($0) / Double(Self.count - 1)) }
    tables = (all.map { Float($0) }, all.map { Float($0 > 0 ? Self.compressed($0, peak: peak) / $0 : 1) })
  }

  /// Above the knee Reinhard's curve with a white point: it goes on as steep as it was, and ends at 1.
  static func compressed(_ light: Double, peak: Double) -> Double {
    guard light > knee, peak > 1 else { return light }
    let (above, most) = ((light - knee) / (1 - knee), (peak - knee) / (1 - knee))
    return knee + (1 - knee) * above * (1 + above / (most * most)) / (1 + above)
  }

  func withTables(_ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
    tables.light.withUnsafeBufferPointer { light in
      tables.gain.withUnsafeBufferPointer { gain in
        Self.code.withUnsafeBufferPointer { body(light.baseAddress!, gain.baseAddress!, $0.baseAddress!) }
      }
    }
  }

  /// 1 is 10,000 cd/m².
  private static func pqLight(_ sample: Double) -> Double {
    let power = pow(sample, 1 / 78.84375)
    return pow(max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
  }
}

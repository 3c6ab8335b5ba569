public import CaptureCore

/// The light that a client wants for its photo. By default, the camera exposes the photo as it exposes its stream, and
/// no flash fires.
public struct PhotoExposureSettings: Hashable, Sendable {
  /// Whether a flash lights the photo.
  public var flashMode = FlashMode.off
  /// The exposure that the camera is set to for the photo; nil to leave the exposure as it is.
  public var manualExposure: ManualExposure?
  /// The exposures of a bracket, one for each of its frames; empty for a photo that is not a bracket.
  public var bracket: [Shot.Exposure] = []
  /// Whether the frames of the bracket are merged into one photo that shows both dark and bright parts of the scene.
  public var mergesBracket = false

  /// Creates the default settings.
  public init() {}

  /// The number of photos that the capture makes: one, or as many as the bracket has when they are not merged.
  public var photoCount: Int { mergesBracket ? 1 : max(1, bracket.count) }

  /// The index of the exposure that represents a merged bracket: the exposure nearest to automatic exposure, or the
  /// middle one when all exposures are manual.
  var bracketReference: Int {
    let distances = bracket.map { if case .bias(let bias) = $0 { abs(bias) } else { Double.infinity } }
    guard let least = distances.min(), least.isFinite else { return bracket.count / 2 }
    return distances.firstIndex(of: least)!
  }

  /// Whether a frame that was captured before the request can have this exposure. False when the camera has to be set
  /// for the photo, or a flash has to fire.
  var mayUseRing: Bool { manualExposure == nil && bracket.isEmpty && flashMode != .on }
}

/// Whether a flash lights a photo.
public enum FlashMode: Hashable, Sendable, CaseIterable {
  /// No flash fires.
  case off
  /// The flash fires.
  case on
  /// The flash fires when the scene is dark.
  case auto
}

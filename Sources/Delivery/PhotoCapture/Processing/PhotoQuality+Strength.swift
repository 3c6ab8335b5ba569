internal import CaptureCore
internal import PhotoFusion

extension PhotoQuality {
  /// How many frames are merged, and with how much work; nil for a photo that is one frame, unchanged.
  var strength: FrameFusion.Strength? {
    switch self {
    case .speed: nil
    case .balanced: .balanced
    case .quality: .full
    }
  }
}

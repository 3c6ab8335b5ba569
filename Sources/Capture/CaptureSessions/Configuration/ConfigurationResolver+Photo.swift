internal import CaptureCore

extension ConfigurationResolver {
  /// - Parameter format: the camera's; nil when there is no camera.
  static func resolvePhoto(
    _ photo: SessionConfiguration.Photo, _ format: DeviceFormat?, _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Output {
    if let window = photo.zeroShutterLagWindow, window > maximumWindow {
      issues.append(
        CaptureError(
          .invalidArgument, "A zero shutter lag window of \(window) ns is longer than 5 s.",
          metadata: ["zero_shutter_lag_window": "\(window)"], field: "configuration.photo.zero_shutter_lag_window"))
    }
    var output = ResolvedConfiguration.Output(
      id: photo.id ?? "photo", deferredStart: photo.deferredStart ?? true, kind: .photo)
    output.supportsZeroShutterLag = format?.supportsHighestPhotoQuality ?? true
    output.supportedQuality = supportedQuality(format)
    output.photo = PhotoFeatures(
      zeroShutterLag: photo.zeroShutterLag ?? output.supportsZeroShutterLag,
      maxQuality: photo.maxQuality ?? min(.balanced, output.supportedQuality),
      responsiveCapture: photo.responsiveCapture ?? false,
      fastCapturePrioritization: photo.fastCapturePrioritization ?? false)

    func refuse(_ field: String, _ message: String) {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, message, metadata: ["output": output.id], field: "configuration.photo.\(field)")
      )
    }
    if photo.zeroShutterLag == true, !output.supportsZeroShutterLag {
      refuse(
        "zero_shutter_lag_enabled",
        "A binned format gives no photos of the highest quality, and so none without shutter lag; take a format whose "
          + "highest_photo_quality_supported is true, or leave zero_shutter_lag_enabled unset.")
    }
    if output.photo.maxQuality > output.supportedQuality {
      refuse(
        "max_quality_prioritization",
        "Photos of this camera's format are made at most with \(output.supportedQuality); ask for that, or leave "
          + "max_quality_prioritization unset.")
    }
    if output.photo.responsiveCapture, !output.supportsResponsiveCapture {
      refuse(
        "responsive_capture_enabled", "Responsive capture needs zero shutter lag; enable that, or leave it unset.")
    }
    if output.photo.fastCapturePrioritization, !output.supportsFastCapturePrioritization {
      refuse(
        "fast_capture_prioritization_enabled",
        "Fast capture prioritization needs responsive capture; enable that, or leave it unset.")
    }
    return output
  }

  /// What photos of the format can be made with.
  private static func supportedQuality(_ format: DeviceFormat?) -> PhotoQuality {
    guard let format else { return .quality }
    // What cannot be read cannot be merged.
    return FrameLayout.packed(format.convertedTo ?? format.pixelFormat, Size(width: 2, height: 2)) == nil
      ? .speed : .quality
  }
}

extension ResolvedConfiguration.Output {
  /// For photos: whether captures may overlap.
  public var supportsResponsiveCapture: Bool { supportsZeroShutterLag && photo.zeroShutterLag }
  /// For photos: whether bursts may be made with less.
  public var supportsFastCapturePrioritization: Bool { supportsResponsiveCapture && photo.responsiveCapture }
}

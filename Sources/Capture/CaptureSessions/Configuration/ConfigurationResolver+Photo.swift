internal import CaptureCore

extension ConfigurationResolver {
  /// Resolves the photo output, and adds an issue for each feature that the camera's format does not support.
  ///
  /// - Parameter format: the camera's format; nil when there is no camera.
  static func resolvePhoto(
    _ photo: SessionConfiguration.Photo, _ format: DeviceFormat?, _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Output {
    if let window = photo.zeroShutterLagWindow, window > maximumWindow {
      issues.append(
        CaptureError(
          .invalidArgument, "A zero shutter lag window of \(window) ns is longer than 5 s.",
          metadata: ["zero_shutter_lag_window": "\(window)"], field: "configuration.photo.zero_shutter_lag_window"))
    }
    var resolved = ResolvedConfiguration.Photo()
    resolved.supportsZeroShutterLag = format?.supportsHighestPhotoQuality ?? true
    resolved.supportedQuality = supportedQuality(format)
    resolved.constituentDelivery = photo.constituentDelivery ?? false
    resolved.features = PhotoFeatures(
      zeroShutterLag: photo.zeroShutterLag ?? resolved.supportsZeroShutterLag,
      maxQuality: photo.maxQuality ?? min(.balanced, resolved.supportedQuality),
      responsiveCapture: photo.responsiveCapture ?? false,
      fastCapturePrioritization: photo.fastCapturePrioritization ?? false)

    let id = photo.id ?? "photo"
    func refuse(_ field: String, _ message: String) {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration, message, metadata: ["output": id], field: "configuration.photo.\(field)")
      )
    }
    if photo.zeroShutterLag == true, !resolved.supportsZeroShutterLag {
      refuse(
        "zero_shutter_lag_enabled",
        "A binned format cannot give photos of the highest quality, which zero shutter lag needs; use a format whose "
          + "highest_photo_quality_supported is true, or leave zero_shutter_lag_enabled unset.")
    }
    if resolved.features.maxQuality > resolved.supportedQuality {
      refuse(
        "max_quality_prioritization",
        "Photos of this camera's format are made at most with \(resolved.supportedQuality); ask for that, or leave "
          + "max_quality_prioritization unset.")
    }
    if resolved.features.responsiveCapture, !resolved.supportsResponsiveCapture {
      refuse(
        "responsive_capture_enabled", "Responsive capture needs zero shutter lag; enable that, or leave it unset.")
    }
    if resolved.features.fastCapturePrioritization, !resolved.supportsFastCapturePrioritization {
      refuse(
        "fast_capture_prioritization_enabled",
        "Fast capture prioritization needs responsive capture; enable that, or leave it unset.")
    }
    if photo.depthDelivery == true {
      refuse(
        "depth_data_delivery_enabled",
        "No camera that the daemon supports measures depth; leave depth_data_delivery_enabled unset.")
    }
    return ResolvedConfiguration.Output(
      id: id, deferredStart: photo.deferredStart ?? true, kind: .photo(resolved))
  }

  /// Returns the highest quality that photos of the format can be made with.
  private static func supportedQuality(_ format: DeviceFormat?) -> PhotoQuality {
    guard let format else { return .quality }
    // A photo cannot be merged from frames in a format that Firstlight cannot read. Frames of wide grey are not merged
    // either: each one is made a picture with the values that it uses itself.
    let published = format.convertedTo ?? format.pixelFormat
    return published.isWideGrey || FrameLayout.packed(published, Size(width: 2, height: 2)) == nil ? .speed : .quality
  }
}

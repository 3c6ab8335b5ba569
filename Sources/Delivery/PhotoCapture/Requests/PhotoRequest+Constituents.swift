internal import CaptureCore

/// Requests for a photo of each of several cameras.
extension PhotoRequest {
  private static let field = "settings.constituent_inputs"

  /// Checks the cameras that the request names, and what it asks for beside them.
  ///
  /// - Throws: `notSupportedInConfiguration` while captures take photos of one camera only; `unsupportedValue` for one
  ///   camera, one named twice, and one that is not connected; `invalidArgument` for settings that contradict them.
  func validateConstituents(_ features: PhotoFeatures) throws(CaptureError) {
    if constituents.isEmpty { return }
    let connected = features.constituents.joined(separator: ", ")
    guard !features.constituents.isEmpty else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "The photo output takes photos of one camera; set its constituent_photo_delivery_enabled and connect several.",
        field: Self.field)
    }
    guard constituents.count > 1, Set(constituents).count == constituents.count,
      constituents.allSatisfy(features.constituents.contains)
    else {
      throw CaptureError(
        .unsupportedValue,
        "constituent_inputs names two or more different inputs that are connected to the photo output, which are "
          + "\(connected); the request names \(constituents.joined(separator: ", ")).",
        metadata: ["value": constituents.joined(separator: ", "), "available": connected], field: Self.field)
    }
    guard exposure.bracket.isEmpty, exposure.flashMode == .off, exposure.manualExposure == nil, size == nil,
      moment == nil
    else {
      throw CaptureError(
        .invalidArgument,
        "A capture of several cameras takes the next frames of each as the cameras are set; leave bracket, flash_mode, "
          + "manual_exposure, max_photo_dimensions, viewfinder_sequence and shutter_time unset.",
        field: Self.field)
    }
  }

  /// Checks that the cameras that the request names bring frames.
  ///
  /// - Throws: `notSupportedInConfiguration` for a camera whose connection is disabled; `sessionNotRunning` for one
  ///   that does not run.
  func checkConstituents(_ cameras: [ConstituentCamera]) throws(CaptureError) {
    for input in constituents {
      guard let camera = cameras.first(where: { $0.input == input }) else {
        throw CaptureError(
          .sessionNotRunning, "A commit is connecting \(input) to the photo output; take the photos when it is over.",
          metadata: ["input": input, "state": "\(SessionState.starting)"])
      }
      guard camera.connection.isEnabled else {
        throw CaptureError(
          .notSupportedInConfiguration,
          "The connection of \(camera.input) to the photo output is disabled; enable it to take photos of the camera.",
          metadata: ["input": camera.input], field: Self.field)
      }
      guard camera.status.state == .running else {
        throw CaptureError(
          .sessionNotRunning,
          "The camera of \(camera.input) is \(camera.status.state); take the photos when it runs.",
          metadata: ["input": camera.input, "state": "\(camera.status.state)"], field: Self.field)
      }
    }
  }
}

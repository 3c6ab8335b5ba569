internal import CaptureCore

/// Finds the outputs of a configuration, and what each of them may deliver.
enum OutputResolver {
  static let queueDepths: ClosedRange<UInt32> = 1...64
  static let defaultQueueDepth = 8
  /// The formats that a video data output can convert frames to.
  static let videoDataFormats: [PixelFormat] = [.abgr32, .nv12, .yuyv, .grey, .bgr32]

  /// Returns the outputs of a configuration, not yet connected.
  ///
  /// - Parameter wiring: which camera each output has.
  static func resolve(
    _ asked: SessionConfiguration, _ wiring: CameraWiring, _ issues: inout [CaptureError]
  ) -> [ResolvedConfiguration.Output] {
    func published(_ output: String) -> PixelFormat? {
      wiring.format(for: output).map { $0.convertedTo ?? $0.pixelFormat }
    }
    var found: [(output: ResolvedConfiguration.Output, path: String)] = []
    if let preview = asked.preview {
      let output = ResolvedConfiguration.Output(
        id: preview.id ?? "preview", deferredStart: preview.deferredStart ?? false, kind: .preview(isMain: true))
      found.append((output, "configuration.preview"))
    }
    if let photo = asked.photo {
      let format = wiring.format(for: photo.id ?? "photo")
      found.append((PhotoResolver.resolve(photo, format, &issues), "configuration.photo"))
    }
    check(
      asked.additionalPreviews.count, SessionConfiguration.maximumAdditionalPreviews,
      "configuration.additional_previews", &issues)
    for (index, preview) in asked.additionalPreviews.enumerated() {
      let output = ResolvedConfiguration.Output(
        id: preview.id ?? "", deferredStart: preview.deferredStart ?? true, kind: .preview(isMain: false))
      found.append((output, "configuration.additional_previews[\(index)]"))
    }
    check(asked.videoData.count, SessionConfiguration.maximumVideoData, "configuration.video_data", &issues)
    for (index, videoData) in asked.videoData.enumerated() {
      let path = "configuration.video_data[\(index)]"
      found.append((resolve(videoData, path, published(videoData.id ?? ""), &issues), path))
    }

    if let movie = asked.movie {
      let path = "configuration.movie"
      found.append((MovieResolver.resolve(movie, path, published(movie.id ?? "movie"), isMain: true, &issues), path))
    }
    check(
      asked.additionalMovies.count, SessionConfiguration.maximumAdditionalMovies, "configuration.additional_movies",
      &issues)
    for (index, movie) in asked.additionalMovies.enumerated() {
      let path = "configuration.additional_movies[\(index)]"
      found.append((MovieResolver.resolve(movie, path, published(movie.id ?? ""), isMain: false, &issues), path))
    }

    var ids: Set<String> = []
    for index in found.indices {
      let id = found[index].output.id
      found[index].output.camera = wiring.camera(of: id)
      if !wiring.isReadable(wiring.camera(of: id)) { found[index].output.supportsOrientation = false }
      checkID(found[index].output.id, "\(found[index].path).id", &ids, &issues)
    }
    return found.map(\.output)
  }

  private static func resolve(
    _ asked: SessionConfiguration.VideoData, _ path: String, _ published: PixelFormat?, _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Output {
    let available = published.map(availableFormats) ?? []
    let pixelFormat = asked.pixelFormat.flatMap { resolveFormat($0, "\(path).pixel_format", available, &issues) }
    let discards = asked.alwaysDiscardsLateFrames ?? true
    if let depth = asked.maxQueueDepth {
      if discards {
        issues.append(
          CaptureError(
            .invalidArgument,
            "Late frames are discarded, so that one waits at most; set always_discards_late_video_frames to false "
              + "for a queue, or leave max_queue_depth unset.",
            metadata: ["max_queue_depth": "\(depth)"], field: "\(path).max_queue_depth"))
      } else if !queueDepths.contains(depth) {
        issues.append(
          CaptureError(
            .invalidArgument, "A queue depth of \(depth) is out of range; name one from 1 to 64.",
            metadata: ["max_queue_depth": "\(depth)"], field: "\(path).max_queue_depth"))
      }
    }
    let effective = pixelFormat ?? available.first
    if asked.range != nil, let effective, !effective.isYCbCr {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration,
          "Frames in \(effective) have no range to choose: RGB and JPEG are always full, and measured values have "
            + "none. Leave color_range unset.",
          metadata: ["pixel_format": effective.fourCC], field: "\(path).color_range"))
    }
    var data = ResolvedConfiguration.VideoData(
      askedFormat: pixelFormat, range: asked.range,
      queueDepth: discards ? nil : asked.maxQueueDepth.map(Int.init) ?? defaultQueueDepth)
    data.availableFormats = available
    var output = ResolvedConfiguration.Output(
      id: asked.id ?? "", deferredStart: asked.deferredStart ?? false, kind: .videoData(data))
    // JPEG and P010 frames are given as they come from the camera. Turning P010 would cost it two bits per sample.
    output.supportsOrientation = effective?.isJPEG != true && effective != .p010
    return output
  }

  /// Returns the formats in which an output can give frames that the camera publishes in `published`. The published
  /// format comes first, unless it is coded video: a reader may leave frames out, and the later ones could not be
  /// decoded.
  static func availableFormats(_ published: PixelFormat) -> [PixelFormat] {
    if published.isVideo { return [.nv12] + videoDataFormats.filter { $0 != .nv12 } }
    let isReadable = FrameLayout.packed(published, Size(width: 2, height: 2)) != nil
    return [published] + (isReadable ? videoDataFormats.filter { $0 != published } : [])
  }

  /// Returns the format that `fourCC` names if `available` contains it, and adds an issue otherwise. An empty
  /// `available` means that there is no camera, and accepts any format.
  private static func resolveFormat(
    _ fourCC: String, _ path: String, _ available: [PixelFormat], _ issues: inout [CaptureError]
  ) -> PixelFormat? {
    guard let format = PixelFormat(fourCC: fourCC) else {
      issues.append(
        CaptureError(
          .invalidArgument, "A pixel format is a four-character code such as NV12.",
          metadata: ["pixel_format": String(fourCC.prefix(40))], field: path))
      return nil
    }
    if available.isEmpty { return format }
    guard available.contains(format) else {
      let names = available.map(\.fourCC).joined(separator: ", ")
      issues.append(
        CaptureError(
          .unsupportedValue, "Frames cannot be given in \(format); available with this camera's format are \(names).",
          metadata: ["pixel_format": format.fourCC, "available": names], field: path))
      return nil
    }
    return format
  }

  private static func check(_ count: Int, _ maximum: Int, _ field: String, _ issues: inout [CaptureError]) {
    guard count > maximum else { return }
    issues.append(
      CaptureError(
        .invalidArgument, "There are \(count) of these outputs; a session has at most \(maximum).",
        metadata: ["count": "\(count)", "maximum": "\(maximum)"], field: field))
  }

  private static func checkID(
    _ id: String, _ field: String, _ ids: inout Set<String>, _ issues: inout [CaptureError]
  ) {
    if id.isEmpty {
      issues.append(CaptureError(.invalidArgument, "This output needs an id, unique in the session.", field: field))
    } else if !ids.insert(id).inserted {
      issues.append(
        CaptureError(
          .invalidArgument, "Two outputs are named \(id); give each its own id.", metadata: ["output": id],
          field: field))
    }
  }
}

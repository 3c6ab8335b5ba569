public import CaptureCore

extension Picture {
  /// Returns the part `crop` of an uncompressed picture. The part shares the picture's memory.
  ///
  /// - Throws: `formatNotSupported` for compressed and unknown formats, `processingFailed` when the part does not lie
  ///   within the picture or the layout does not lie within the buffer.
  public func cropped(to crop: Crop) throws(CaptureError) -> Picture {
    let format = layout.pixelFormat
    if format.isCompressed { throw .unsupported(format) }
    try validate()
    guard crop.x >= 0, crop.y >= 0, crop.size.width > 0, crop.size.height > 0,
      crop.x + crop.size.width <= layout.size.width, crop.y + crop.size.height <= layout.size.height
    else {
      throw CaptureError(
        .processingFailed, "A part of \(crop.size) at \(crop.x), \(crop.y) is not within a picture of \(layout.size).",
        metadata: ["part": "\(crop.size)", "size": "\(layout.size)"])
    }
    return Picture(layout: layout.part(crop), buffer: buffer)
  }
}

extension FrameLayout {
  /// The layout of the part `crop`, in the memory of the whole picture. The picture must be uncompressed and contain
  /// the part.
  public func part(_ crop: Crop) -> FrameLayout {
    var part = self
    part.size = crop.size
    for index in planes.indices {
      // The format tells how many bytes lie left of the part in each line, and how many lines lie above the part.
      let left = pixelFormat.plane(index, of: Size(width: crop.x, height: 1))?.rowBytes ?? 0
      let above = pixelFormat.plane(index, of: Size(width: 1, height: crop.y))?.rows ?? 0
      part.planes[index].offset += above * planes[index].stride + left
      part.planes[index].rows = pixelFormat.plane(index, of: crop.size)?.rows ?? 0
    }
    return part
  }
}

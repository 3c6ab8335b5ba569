public import CaptureCore
public import Imaging

/// Composes pictures of layers. Thread-bound: only one thread may use an instance.
///
/// The result is NV12 in one range and matrix; every layer is converted to these. A layer is written straight to its
/// place, from the memory of its frame where possible. The compositor does no work for a layer that an upper layer
/// hides completely.
public final class FrameCompositor {
  /// Why a picture could not be composed.
  public struct Failure: Error {
    /// The cause.
    public var error: CaptureError
    /// The index of the layer whose picture cannot be shown; nil when there is no memory for the result.
    public var layer: Int?
  }

  /// A layer with everything that follows from the layout alone.
  private struct Place {
    var index: Int
    var rectangle: CompositionLayer.Rectangle
    var part: FrameLayout
    var corners: RoundedCorners?
    var isMirrored: Bool
  }

  private let layout: FrameLayout
  private let pool: FramePool
  private let writer = PictureWriter()
  private var layers: [CompositionLayer] = []
  /// The layers from the lowest to the uppermost.
  private var places: [Place] = []

  /// Creates a compositor.
  ///
  /// - Parameters:
  ///   - layout: the layout of the composed pictures, in NV12; see ``CompositionLayout/format(withFirstLayer:)``.
  ///   - pool: the pool from which composed pictures take their memory.
  public init(_ layout: FrameLayout, pool: FramePool) {
    precondition(layout.pixelFormat == .nv12, "the compositor makes NV12")
    self.layout = layout
    self.pool = pool
  }

  /// Composes a picture. What no layer covers is black.
  ///
  /// - Parameters:
  ///   - layers: the layers, each of which lies in the picture.
  ///   - pictures: the picture of each layer; a layer whose picture is nil is left out.
  /// - Returns: a picture in the compositor's layout.
  public func compose(_ layers: [CompositionLayer], _ pictures: [Picture?]) throws(Failure) -> Picture {
    if layers != self.layers { prepare(layers) }
    guard let memory = pool.take(layout.byteCount) else {
      throw Failure(
        error: CaptureError(
          .outOfBuffers, "The frame pool has no \(layout.byteCount) bytes left for a composed picture.",
          metadata: ["bytes": "\(layout.byteCount)"]))
    }
    let base = memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    let shown = visible(pictures)
    let whole = CompositionLayer.Rectangle(x: 0, y: 0, size: layout.size)
    if !shown.contains(where: { $0.corners == nil && $0.rectangle.contains(whole) }) { layout.fillBlack(base) }
    for place in shown {
      guard let picture = pictures[place.index] else { continue }
      place.corners?.keep(base)
      do throws(CaptureError) {
        try writer.write(picture, isMirrored: place.isMirrored, into: place.part, base)
      } catch { throw Failure(error: error, layer: place.index) }
      place.corners?.round(base)
    }
    return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
  }

  /// Makes the places and the masks of a layout.
  private func prepare(_ layers: [CompositionLayer]) {
    self.layers = layers
    let order = layers.indices.sorted { (layers[$0].order, $0) < (layers[$1].order, $1) }
    places = order.map { index in
      let layer = layers[index]
      precondition(layer.rectangle.lies(in: layout.size), "layer \(index) lies outside of the picture")
      let rectangle = layer.rectangle.aligned(in: layout.size)
      let part = layout.part(Crop(x: rectangle.x, y: rectangle.y, size: rectangle.size))
      return Place(
        index: index, rectangle: rectangle, part: part,
        corners: layer.cornerRadius > 0 ? RoundedCorners(radius: layer.cornerRadius, of: part) : nil,
        isMirrored: layer.isMirrored)
    }
  }

  /// The places that have a picture and are not below another one completely, from the lowest to the uppermost.
  private func visible(_ pictures: [Picture?]) -> [Place] {
    var seen: [Place] = []
    for place in places.reversed() where pictures[place.index] != nil {
      let isHidden = seen.contains { $0.corners == nil && $0.rectangle.contains(place.rectangle) }
      if !isHidden { seen.append(place) }
    }
    return seen.reversed()
  }
}

extension FrameLayout {
  /// Makes a picture in NV12 black.
  fileprivate func fillBlack(_ base: UnsafeMutablePointer<UInt8>) {
    for (plane, value) in zip(planes, [range == .full ? 0 : 16, 128] as [UInt8]) {
      (base + plane.offset).update(repeating: value, count: plane.stride * plane.rows)
    }
  }
}

public import CaptureCore
public import Imaging
internal import SystemClocks

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

/// The frames of one input that a picture may still show. A value.
struct LayerFrames: Sendable {
  /// The frame that the newest picture shows.
  private(set) var shown: CapturedFrame?
  /// Later frames than ``shown``, oldest first.
  private(set) var waiting: [CapturedFrame] = []
  private(set) var timing = InputTiming()

  /// Takes the next frame. When too many wait, the oldest goes, so that the camera gets its memory back.
  ///
  /// - Returns: whether the frame is later than the one before; any other is not taken.
  mutating func receive(_ frame: CapturedFrame, at now: MonotonicInstant) -> Bool {
    guard timing.note(frame.frame, at: now) else { return false }
    if waiting.count == FramePartners.heldFrames { waiting.removeFirst() }
    waiting.append(frame)
    return true
  }

  /// Takes back the frame that ``receive(_:at:)`` took last, because the clock of the composition keeps it.
  mutating func removeNewest() { waiting.removeLast() }

  /// Lets go of the frames that wait.
  mutating func removeWaiting() { waiting.removeAll() }

  /// The frame to show beside a frame that was captured at `instant`: the nearest, if it is at most half a period away.
  /// Else the layer stays as it was: the latest frame before that instant.
  ///
  /// - Parameter period: the time between two frames of an input that does not know its own yet.
  func choose(at instant: MonotonicInstant, period: UInt64) -> (frame: CapturedFrame?, isStale: Bool) {
    let all = (shown.map { [$0] } ?? []) + waiting
    func distance(_ frame: CapturedFrame) -> UInt64 {
      frame.frame.time.monotonic.signedNanoseconds(since: instant).magnitude
    }
    if let nearest = all.min(by: { distance($0) < distance($1) }), distance(nearest) <= (timing.period ?? period) / 2 {
      return (nearest, false)
    }
    return (all.last { $0.frame.time.monotonic <= instant } ?? shown, true)
  }

  /// Notes that a picture shows `frame`. No later picture shows an earlier frame, so those go.
  mutating func show(_ frame: CapturedFrame) {
    waiting.removeAll { $0.frame.time.monotonic <= frame.frame.time.monotonic }
    shown = frame
  }

  /// Forgets a frame that cannot be shown.
  mutating func forget(_ frame: CapturedFrame) {
    waiting.removeAll { $0 === frame }
    if shown === frame { shown = nil }
  }
}

internal import Locking
internal import Synchronization

/// The coded pictures of one stream of a camera that sends H.264 or HEVC. The capture thread adds pictures, and a
/// decoder on any other thread finds the pictures that it needs before another one. Thread-safe.
public final class CodedStream: Sendable {
  /// The coding of the pictures: `h264` or `hevc`.
  public let format: PixelFormat
  /// The number of the stream in ``FrameLink/chain``.
  public let chain = FrameLink.makeChain()
  private let isKeyFrameWanted = Locked(false)
  private let sharedDecoder = Locked<(any CodedPictureDecoding)?>(nil)

  /// Creates a stream without pictures.
  public init(format: PixelFormat) { self.format = format }

  /// Asks the camera for a picture that can be decoded alone. A camera that takes no such wish sends one by itself
  /// sooner or later.
  public func requestKeyFrame() { isKeyFrameWanted.withLock { $0 = true } }

  /// Returns true when somebody has asked for a key frame since the last call. The capture thread calls this method and
  /// then asks the camera.
  public func takeRequest() -> Bool {
    isKeyFrameWanted.withLock { isWanted in
      defer { isWanted = false }
      return isWanted
    }
  }

  /// The decoder that all users of the stream share, so that a picture is decoded once.
  ///
  /// - Parameter make: makes the decoder for the first user.
  public func decoder(_ make: () -> any CodedPictureDecoding) -> any CodedPictureDecoding {
    sharedDecoder.withLock { decoder in
      let found = decoder ?? make()
      decoder = found
      return found
    }
  }
}

/// Decodes the pictures of a ``CodedStream``.
public protocol CodedPictureDecoding: AnyObject, Sendable {
  /// Decodes a picture, and before it those that it needs. Blocks for as long as that takes, so no capture thread calls
  /// this.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - layout: the layout of the frame, whose colours count where the coded picture tells none.
  ///   - isAside: whether a thread of low priority asks, for which others must not wait.
  /// - Throws: `frameDamaged` when the picture cannot be decoded; `outOfBuffers` when memory is used up;
  ///   `formatNotSupported` when no decoder is installed.
  func decode(
    _ picture: CodedPicture, of layout: FrameLayout, isAside: Bool
  ) throws(CaptureError) -> (layout: FrameLayout, buffer: FrameBuffer)
}

/// A key frame and the pictures after it up to the next key frame. A picture needs all pictures of its group before it.
/// Thread-safe.
public final class CodedGroup: Sendable {
  /// The most bytes of memory of a group. A key frame has to follow. The pool of a camera has room for two groups.
  public static let mostBytes = 16 << 20
  /// The most pictures of a group, which is a minute of 60 frames a second.
  static let mostPictures = 3600

  /// The number of the key frame in ``FrameLink/number``.
  let first: UInt64
  private struct State {
    var pictures: [FrameBuffer] = []
    var bytes = 0
    /// The place of the first picture that could not be decoded. Nil when there is none.
    var damaged: Int?
  }

  private let state = Locked(State())

  init(first: UInt64) { self.first = first }

  /// True when the group has no room for a further picture.
  var isFull: Bool { fill >= 1 }

  /// How much of the group is used, from 0 to 1.
  var fill: Double {
    state.withLock {
      max(Double($0.bytes) / Double(Self.mostBytes), Double($0.pictures.count) / Double(Self.mostPictures))
    }
  }

  /// Notes that the picture at a place could not be decoded, so that nobody tries it or a later one again.
  public func markDamaged(at place: Int) { state.withLock { $0.damaged = min($0.damaged ?? place, place) } }

  /// Whether the picture at a place needs one that could not be decoded, or is that picture.
  public func isDamaged(at place: Int) -> Bool { state.withLock { $0.damaged.map { $0 <= place } ?? false } }

  func append(_ buffer: FrameBuffer) {
    state.withLock { state in
      state.pictures.append(buffer)
      // A buffer has whole pages.
      state.bytes += (buffer.count + 4095) & ~4095
    }
  }

  /// The pictures with these places in the group, in their order. Empty when the group does not have all of them.
  public func pictures(_ places: ClosedRange<Int>) -> [FrameBuffer] {
    state.withLock { places.upperBound < $0.pictures.count ? Array($0.pictures[places]) : [] }
  }
}

/// A coded picture of a camera: its stream, and its place in the group that it needs. A value.
public struct CodedPicture: Sendable {
  /// The stream of the camera.
  public let stream: CodedStream
  /// The pictures from the key frame on.
  public let group: CodedGroup
  /// The place in the group; 0 for the key frame.
  public let place: Int

  /// The place among all pictures of the stream.
  public var link: FrameLink {
    FrameLink(chain: stream.chain, number: group.first + UInt64(place), isKeyFrame: place == 0)
  }
}

/// Puts the pictures of a camera into groups, in their order. One thread uses a value.
public struct CodedGroups {
  /// The stream of the camera.
  public let stream: CodedStream
  private var group: CodedGroup?
  /// The place of the next picture in the group, and its number in the stream.
  private var next = (place: 0, number: UInt64(1))

  /// Creates the groups of a stream without pictures.
  public init(_ stream: CodedStream) { self.stream = stream }

  /// Whether only a key frame can come next: none has come yet, a picture was lost, or the group is full.
  public var needsKeyFrame: Bool { group?.isFull ?? true }

  /// Whether a key frame should come soon, because the group is half full.
  public var isHalfFull: Bool { group.map { $0.fill >= 0.5 } ?? false }

  /// Notes that a picture was lost, so that those after it cannot be decoded.
  public mutating func lose() { group = nil }

  /// Adds the next picture.
  ///
  /// - Returns: the picture; nil when it needs a picture that was lost.
  public mutating func add(_ buffer: FrameBuffer, isKeyFrame: Bool) -> CodedPicture? {
    if isKeyFrame {
      group = CodedGroup(first: next.number)
      next.place = 0
    }
    guard let group, !group.isFull else { return nil }
    group.append(buffer)
    defer { next = (next.place + 1, next.number + 1) }
    return CodedPicture(stream: stream, group: group, place: next.place)
  }
}

/// The place of a coded picture among the pictures of its encoder. A picture that is no key frame needs the picture
/// before it.
public struct FrameLink: Hashable, Sendable {
  /// Names the encoder: no other encoder has this number.
  public var chain: UInt64
  /// The picture's number among the frames that the encoder was given, from 1.
  public var number: UInt64
  /// Whether a decoder can begin with the picture.
  public var isKeyFrame: Bool

  /// Creates a place.
  public init(chain: UInt64, number: UInt64, isKeyFrame: Bool) {
    self.chain = chain
    self.number = number
    self.isKeyFrame = isKeyFrame
  }

  private static let chains = Atomic<UInt64>(0)

  /// A number for a chain that no other encoder has.
  public static func makeChain() -> UInt64 { chains.add(1, ordering: .relaxed).newValue }

  /// Whether a decoder that has decoded the picture at `former` can go on with this one. Nil for a decoder that has
  /// decoded nothing.
  public func continues(_ former: FrameLink?) -> Bool {
    isKeyFrame || former.map { $0.chain == chain && $0.number + 1 == number } ?? false
  }
}

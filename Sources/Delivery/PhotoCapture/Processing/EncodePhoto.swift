internal import CaptureCore
internal import Imaging

/// Turns a picture as the orientation says, and encodes it. One thread at a time may call the closure, because codecs
/// keep their working memory between calls.
///
/// - Throws: `frameDamaged` for a compressed picture that cannot be decoded whole; `outOfBuffers` when the pool has no
///   memory for the photo; `unsupportedValue` for an encoding that this machine cannot make; `processingFailed` when
///   the codec fails.
typealias EncodePhoto = (Picture, PhotoFile, Orientation) throws(CaptureError) -> Picture

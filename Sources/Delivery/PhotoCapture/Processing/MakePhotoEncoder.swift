internal import CaptureCore

/// Makes an encoder whose pictures take their memory from the pool.
typealias MakePhotoEncoder = @Sendable (FramePool) -> EncodePhoto

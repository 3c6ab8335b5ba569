/// The number of the field `data`, the same in every message that contains pixels.
enum FrameField { static let data = 1000 }

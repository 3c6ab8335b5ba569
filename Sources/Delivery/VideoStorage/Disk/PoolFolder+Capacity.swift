internal import CaptureCore
internal import Glibc
internal import SystemFiles

extension PoolFolder {
  /// The number of bytes that the operator wants; 0 when nobody has said.
  func capacity() throws(CaptureError) -> Int64 {
    let action = "The capacity of the video storage cannot be read"
    let text: String
    do throws(CaptureError) {
      let bytes = try folder.open("capacity", O_RDONLY, action).read(at: 0, count: 4096, action)
      text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    } catch {
      if error.errorNumber == ENOENT { return 0 }
      throw error
    }
    guard let capacity = Int64(text), capacity >= 0 else {
      throw CaptureError(
        .processingFailed, "\(path)/capacity is not a number of bytes; delete the file, and set the capacity again.")
    }
    return capacity
  }

  /// Remembers the capacity, either completely or not at all.
  func save(capacity: Int64) throws(CaptureError) {
    let action = "The capacity of the video storage cannot be saved"
    try folder.replace("capacity", with: Array("\(capacity)\n".utf8), by: Self.capacityDraft, action)
    try folder.sync(action)
  }
}

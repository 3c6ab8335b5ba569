internal import CaptureCore
internal import Glibc

extension PoolFolder {
  /// The number of bytes that the operator wants; 0 when nobody has said.
  func capacity() throws(CaptureError) -> Int64 {
    let action = "The capacity of the video storage cannot be read"
    let file = openat(folder.number, "capacity", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    if file < 0, errno == ENOENT { return 0 }
    let open = try PoolFile(descriptor(file), action)
    let memory = AlignedBytes(count: AlignedBytes.block)
    let text = memory.bytes[..<(try open.read(into: memory.bytes, at: 0, action))].prefix { $0 != 0x0A }
    guard let capacity = Int64(String(decoding: text, as: UTF8.self)), capacity >= 0 else {
      throw CaptureError(
        .processingFailed, "\(path)/capacity is not a number of bytes; delete the file, and set the capacity again.")
    }
    return capacity
  }

  /// Remembers the capacity, either completely or not at all.
  func save(capacity: Int64) throws(CaptureError) {
    let action = "The capacity of the video storage cannot be saved"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    let file = try PoolFile(descriptor(openat(folder.number, Self.capacityDraft, flags, 0o644)), action)
    let memory = AlignedBytes(count: AlignedBytes.block)
    let text = Array("\(capacity)\n".utf8)
    memory.bytes.copyBytes(from: text)
    try file.write(UnsafeRawBufferPointer(rebasing: memory.bytes[..<text.count]), at: 0, action)
    try file.sync(action)
    guard renameat(folder.number, Self.capacityDraft, folder.number, "capacity") == 0 else { throw .system(action) }
    try folder.sync(action)
  }
}

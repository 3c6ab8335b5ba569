internal import VideoStorage

extension MetricsText {
  /// Adds how much video storage there is. A storage that cannot be read has -1 bytes.
  mutating func add(_ storage: VideoStorageState) {
    add(
      "firstlight_video_storage_capacity_bytes", .gauge, "The video storage that the operator wants.",
      Double(storage.initialCapacity))
    add(
      "firstlight_video_storage_remaining_bytes", .gauge, "The video storage that movies can take now.",
      Double(storage.remainingCapacity))
    add(
      "firstlight_video_storage_bytes_written_total", .counter,
      "Bytes of movies that were written to the video storage.",
      storage.bytesWritten)
  }
}

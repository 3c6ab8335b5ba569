internal import CaptureCore
internal import MovieRecording
internal import VideoStorage

extension MetricsText {
  /// Adds what all recordings did since the daemon started.
  mutating func add(_ recordings: RecordingCounters.Counts) {
    add(
      "firstlight_recording_bytes_written_total", .counter, "Bytes of recordings that were written and play.",
      recordings.bytes)
    add(
      "firstlight_recording_frames_dropped_total", .counter,
      "Frames that recordings lack. Those for which the encoder or the disk was too slow are late.",
      recordings.dropped.byReason.map { MetricSample($1, ["reason": $0]) })
    add(
      "firstlight_recording_pre_roll_shortened_total", .counter,
      "Pictures that movie outputs kept for a pre-roll and gave up early, because they took too many bytes.",
      recordings.historyShortened)
    add(
      "firstlight_recording_pre_roll_sound_shortened_total", .counter,
      "Blocks of sound that movie outputs kept for a pre-roll and gave up early, because they took too many bytes.",
      recordings.soundHistoryShortened)
    add(
      "firstlight_recording_pre_roll_failures_total", .counter,
      "Failures of the encoders of movie outputs with a pre-roll. They begin again by themselves.",
      recordings.preRollFailures)
    add(
      "firstlight_recording_segments_finished_total", .counter,
      "Segments of continuous recordings that are complete and on the storage.", recordings.segmentsFinished)
    add(
      "firstlight_recording_segments_deleted_total", .counter,
      "Segments of continuous recordings that were deleted because of their age, their size or the free space.",
      recordings.segmentsDeleted)
    add(
      "firstlight_recording_continuous_failures_total", .counter,
      "Times that the encoder, the disk or missing space ended a continuous recording. It goes on by itself.",
      recordings.failures)
  }
}

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

internal import CaptureCore
internal import SystemClocks

/// Captures that photo threads work on, and their delivery.
extension PhotoQueueStateMachine {
  /// A capture for a photo thread to work on.
  struct Assignment: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    var capture: UnprocessedCapture
  }

  /// Returns the next capture that a photo thread may process.
  mutating func nextWork() -> Assignment? {
    places.next().map { Assignment(ticket: $0.0, job: $0.1, capture: UnprocessedCapture(of: $0.1, $0.2)) }
  }

  /// Notes that the thread is done with the capture.
  mutating func finish(_ ticket: Ticket, _ job: PhotoJob, _ result: Result<[Photo], CaptureError>) {
    if case .success(let photos) = result, let photo = photos.last {
      let took = photo.phases.encodeEnd.nanoseconds(since: photo.phases.processBegin)
      forecast.add(took, job.request, photo.quality, frames: job.frameCount)
    }
    places.finish(ticket, result)
  }

  /// Frees the place of a capture that was delivered. Its last event is sent after that, so that a client that gets it
  /// finds the place free.
  mutating func leave(_ ticket: Ticket, _ job: PhotoJob, _ error: CaptureError?) {
    places.remove(ticket)
    actions.answers.append(.end(job, error))
  }
}

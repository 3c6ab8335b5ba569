import CaptureCore
import CaptureTestKit
import Imaging
import SystemClocks
import Testing

@testable import PhotoCapture

/// A photo queue and the names of the actions that each change leaves behind. It sends the first event of captures, as
/// ``PhotoQueue`` does, and performs nothing else.
struct TestedQueue {
  static let error = CaptureError(.processingFailed, "on purpose")

  private(set) var machine: PhotoQueueStateMachine
  /// The tickets of the captures that have begun, by their ids.
  private(set) var tickets: [String: PhotoQueueStateMachine.Ticket] = [:]
  private var turns: [String: CapturePlaces.Turn] = [:]

  init(_ features: PhotoFeatures = PhotoFeatures()) {
    machine = PhotoQueueStateMachine(maxPending: 10, features: features) { _ in 1 }
    var conditions = OutputConditions()
    conditions.photoFeatures = features
    machine.update(conditions)
    _ = machine.takeActions()
  }

  /// Prepares the output and starts the session.
  mutating func start() {
    change { machine in
      machine.places.setPrepared()
      var conditions = machine.conditions
      conditions.status = SessionStatus(.running)
      machine.update(conditions)
    }
  }

  /// Changes the queue and returns the names of the actions that follow.
  @discardableResult
  mutating func change(_ body: (inout PhotoQueueStateMachine) -> Void) -> [String] {
    changing(body).actions.names
  }

  /// Changes the queue and returns the result with the actions that follow.
  mutating func changing<R>(_ body: (inout PhotoQueueStateMachine) -> R) -> (result: R, actions: PhotoQueueActions) {
    let result = body(&machine)
    let actions = machine.takeActions()
    for case .begin(let job, let estimate) in actions.notices { job.begin(at: 1, estimate) }
    for case .findFrames(let turn) in actions.work {
      (tickets[turn.job.uniqueID], turns[turn.job.uniqueID]) = (turn.ticket, turn)
    }
    return (result, actions)
  }

  /// Adds a capture without a frame, whose turn comes at once.
  mutating func begin(_ id: String, shot: Shot? = nil) throws -> CapturePlaces.Turn {
    let job = Self.job(id, shot: shot)
    change { $0.enqueue(job, nil) }
    return try #require(turns[id])
  }

  func job(_ id: String) -> PhotoJob { Self.job(id) }

  static func job(_ id: String, shot: Shot? = nil) -> PhotoJob {
    let resolved = ResolvedPhotoSettings(zeroShutterLagUsed: shot == nil, quality: .speed)
    return PhotoJob.make(id, PhotoStage.request(id), shot, resolved, log: EventLog(), now: { 1 }).0
  }

  static func frame(_ sequence: UInt64) -> CapturedFrame {
    let layout = FrameLayout.packed(.nv12, Size(width: 64, height: 36))!
    let frame = Frame.fake(sequence: sequence, at: .epoch + sequence * PhotoStage.period, layout: layout)!
    return CapturedFrame(frame: frame, input: "camera", configRevision: 1)
  }

  /// A frame of the ring, held for a capture.
  static func held(_ sequence: UInt64) -> HeldFrame {
    var held = FrameChoice.accept(frame(sequence), for: PhotoStage.request())
    held.selection.zeroShutterLagUsed = true
    return held
  }
}

extension CapturePlaces {
  /// Adds a capture with this id, and with this frame of the ring.
  mutating func enqueue(_ id: String, _ traits: Traits = Traits(), held sequence: UInt64? = nil) {
    enqueue(TestedQueue.job(id), traits, held: sequence.map(TestedQueue.held))
  }

  /// Gives the capture the frame with this number.
  mutating func setCaptured(
    _ ticket: Ticket, _ sequence: UInt64, missing: Int = 0, deadline: MonotonicInstant? = nil
  ) {
    setCaptured(ticket, TestedQueue.held(sequence), missing: missing, deadline: deadline)
  }
}

extension PhotoQueueActions {
  /// For comparing.
  var names: [String] { notices.map(\.name) + answers.map(\.name) + work.map(\.name) }
}

extension PhotoQueueActions.Notice {
  fileprivate var name: String {
    switch self {
    case .begin(let job, _): "begin \(job.uniqueID)"
    case .send(let job, let event): "\(event.name) \(job.uniqueID)"
    }
  }
}

extension PhotoQueueActions.Answer {
  fileprivate var name: String {
    switch self {
    case .fail(let job, let error): "fail \(job.uniqueID) \(error.reason)"
    case .end(let job, _): "end \(job.uniqueID)"
    case .tellReadiness: "readiness"
    case .endExposure: "end exposure"
    case .endPreparation(_, .success(let isReady)): "prepared \(isReady)"
    case .endPreparation(_, .failure(let error)): "not prepared \(error.reason)"
    case .decideFlash(let waiting, let isDark): "flash \(isDark) for \(waiting.count)"
    }
  }
}

extension PhotoQueueActions.Work {
  fileprivate var name: String {
    switch self {
    case .startWorkers: "start workers"
    case .runDeferredStart: "run deferred start"
    case .tapCameras: "tap cameras"
    case .measureLight: "measure light"
    case .wakeWorkers(let count): "wake \(count)"
    case .warmUp: "warm up"
    case .watchDeadlines(let watcher): "watch deadlines \(watcher)"
    case .findFrames(let turn): "find frames \(turn.job.uniqueID)"
    }
  }
}

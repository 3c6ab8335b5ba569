/// Which pipeline of a session each camera of its configuration has. A value.
///
/// A pipeline belongs to a camera and not to a place in the configuration, so that a commit which removes the first of
/// three cameras leaves the other two alone.
struct CameraSlots: Hashable, Sendable {
  /// The place of each pipeline's camera among the inputs, by the pipeline's index; nil for a pipeline without a
  /// camera.
  private var places: [Int?] = Array(repeating: nil, count: SessionConfiguration.maximumCameras)

  /// Returns the place of the pipeline's camera among the inputs; nil when it has none.
  func place(at slot: Int) -> Int? { places.indices.contains(slot) ? places[slot] : nil }

  /// Returns the index of the pipeline of the camera at `place` among the inputs; nil when there is no such camera.
  func slot(of place: Int) -> Int? { places.firstIndex(of: place) }

  /// The indices of the pipelines that have a camera, in the order of the cameras.
  var used: [Int] { places.indices.filter { places[$0] != nil }.sorted { places[$0]! < places[$1]! } }

  /// Returns the pipelines of the cameras after a commit.
  ///
  /// A camera keeps its pipeline. A pipeline that loses its camera takes the new camera with the same input id, or else
  /// any new camera, because that is what a swap of cameras is. Further new cameras get pipelines that had none.
  func following(
    from former: [ResolvedConfiguration.Input], to next: [ResolvedConfiguration.Input]
  ) -> CameraSlots {
    var slots = CameraSlots()
    var new = Array(next.indices.prefix(places.count))
    func take(_ slot: Int, where fits: (Int) -> Bool) {
      guard slots.places[slot] == nil, let index = new.firstIndex(where: fits) else { return }
      slots.places[slot] = new.remove(at: index)
    }
    let had = places.enumerated().compactMap { slot, place in
      place.flatMap { former.indices.contains($0) ? (slot: slot, input: former[$0]) : nil }
    }
    for (slot, input) in had { take(slot) { next[$0].sourceID == input.sourceID } }
    for (slot, input) in had { take(slot) { next[$0].id == input.id } }
    for (slot, _) in had { take(slot) { _ in true } }
    for slot in places.indices { take(slot) { _ in true } }
    return slots
  }
}

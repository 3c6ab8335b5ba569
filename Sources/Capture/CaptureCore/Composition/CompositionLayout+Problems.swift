extension CompositionLayout {
  /// Finds everything that makes the layout impossible. Each error names the field by its path.
  ///
  /// - Parameters:
  ///   - path: the path of the composition in the request, such as `configuration.inputs[2].composition`.
  ///   - inputs: the ids of the session's cameras, which a layer may show.
  /// - Returns: no errors for a layout that can be composed.
  public func problems(at path: String, inputs: Set<String>) -> [CaptureError] {
    var problems: [CaptureError] = []
    func add(_ field: String, _ message: String) {
      problems.append(CaptureError(.invalidArgument, message, field: "\(path).\(field)"))
    }
    for (field, side) in [("width", size.width), ("height", size.height)]
    where !(2...Self.maximumSide).contains(side) || side % 2 != 0 {
      add(field, "The \(field) of a composition must be an even number from 2 to \(Self.maximumSide), not \(side).")
    }
    if frameRate.value == 0 || !Self.rates.contains(frameRate) {
      add("frame_rate", "A composition has from 1/100 to 240 pictures a second, not \(frameRate).")
    }
    if layers.isEmpty { add("layers", "A composition needs a layer, whose frames are its clock; add one.") }
    if layers.count > Self.maximumLayers {
      add("layers", "A composition has at most \(Self.maximumLayers) layers, not \(layers.count); leave some out.")
    }
    for (index, layer) in layers.enumerated() {
      if !inputs.contains(layer.input) {
        let known = inputs.sorted().joined(separator: ", ")
        add(
          "layers[\(index)].input",
          "A layer shows a camera of the session, and \(layer.input.isEmpty ? "the empty id" : layer.input) is none; "
            + "the cameras are: \(known.isEmpty ? "none" : known).")
      }
      let (rectangle, shown) = (layer.rectangle, layer.rectangle.size)
      if !rectangle.lies(in: size) {
        add(
          "layers[\(index)].rect",
          "The rectangle of \(shown) at \(rectangle.x), \(rectangle.y) must have an area and lie within the picture "
            + "of \(size).")
      }
      if layer.cornerRadius < 0 {
        add("layers[\(index)].corner_radius", "The radius of corners must be 0 or more, not \(layer.cornerRadius).")
      }
    }
    return problems
  }
}

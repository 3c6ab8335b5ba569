import CaptureCore
import CaptureTestKit

@testable import CaptureSessions

extension CameraSet {
  /// A composition of some of the cameras, and random changes of it. Its output is `composed`.
  struct Composed: Hashable {
    struct Layer: Hashable {
      /// The number in the id of the input.
      var input: Int
      /// The number of the place where it lies.
      var place: Int
    }

    static let places = 0..<4
    private static let side = Size(width: 64, height: 36)

    /// The first layer is the clock.
    var layers: [Layer]
    var isEnabled = true

    /// A composition of up to three of these inputs.
    init(of inputs: [Int], using random: inout SeededGenerator) {
      let shown = inputs.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
      layers = zip(shown, Self.places.shuffled(using: &random)).map(Layer.init)
    }

    var composition: SessionConfiguration.Composition {
      let (width, height) = (Self.side.width, Self.side.height)
      return .init(
        size: Size(width: 2 * width, height: 2 * height),
        layers: layers.map {
          let (column, row) = ($0.place % 2, $0.place / 2)
          return CompositionLayer(
            input: "cam-\($0.input)", rectangle: .init(x: column * width, y: row * height, size: Self.side))
        })
    }

    func shows(_ input: Int) -> Bool { isEnabled && layers.contains { $0.input == input } }

    /// Shows another input in place of one.
    mutating func rewire(_ former: Int, to input: Int) {
      for index in layers.indices where layers[index].input == former { layers[index].input = input }
    }

    /// Makes one random change.
    mutating func change(of inputs: [Int], using random: inout SeededGenerator) {
      let (index, other) = (
        layers.indices.randomElement(using: &random)!, layers.indices.randomElement(using: &random)!
      )
      switch Int.random(in: 0..<6, using: &random) {
      case 0: isEnabled.toggle()
      case 1: layers[index].input = inputs.randomElement(using: &random)!
      case 2:
        layers[index].place = Self.places.filter { place in !layers.contains { $0.place == place } }.randomElement(
          using: &random)!
      case 3: (layers[index].place, layers[other].place) = (layers[other].place, layers[index].place)
      case 4: layers.append(layers.removeFirst())
      default: layers = Composed(of: inputs, using: &random).layers
      }
    }
  }

  /// The camera whose frames are the clock of the composition; nil while no output takes a composition.
  var clock: Camera? {
    composed.flatMap { composed in
      composed.isEnabled ? cameras.first { $0.input == composed.layers[0].input } : nil
    }
  }

  /// The devices that layers show while an output takes the composition.
  var shownDevices: Set<Int> { Set(cameras.filter { composed?.shows($0.input) ?? false }.map(\.device)) }

  /// Adds, changes or removes the composition.
  ///
  /// - Returns: what the change is.
  mutating func changeComposition(using random: inout SeededGenerator) -> String {
    let inputs = cameras.map(\.input)
    if composed == nil {
      composed = Composed(of: inputs, using: &random)
    } else if Int.random(in: 0..<8, using: &random) == 0 {
      composed = nil
    } else {
      composed?.change(of: inputs, using: &random)
    }
    let layers = composed?.layers.map { "cam-\($0.input) at \($0.place)" }.joined(separator: ", ")
    return "composition \(layers ?? "removed")\(composed?.isEnabled == false ? ", disconnected" : "")"
  }
}

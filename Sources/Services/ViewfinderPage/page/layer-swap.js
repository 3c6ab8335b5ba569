// The button that lets the two first layers of a composition change places, such as the two cameras of a picture in
// picture.

import { configureSession } from './daemon.js';
import { say, sayingErrors, tell } from './messages.js';
import { inputNames } from './sentences.js';

export class LayerSwap {
  constructor(button, state, stage) {
    Object.assign(this, { button, state, stage });
    this.isBusy = false;
    button.addEventListener('click', () => this.press());
    for (const kind of ['sessions', 'picture', 'layout']) state.on(kind, () => this.show());
    this.show();
  }

  /** The composition on the screen whose layers can change places. The large picture goes before the small ones. */
  get composition() {
    const { state, stage } = this;
    if (state.layout !== 'one' || !stage.picture) return undefined;
    const inputs = [stage.picture, ...state.session.pictures].map(({ input }) => input);
    return inputs.find(({ composition }) => composition?.layers.length > 1);
  }

  show() {
    const hadFocus = document.activeElement === this.button;
    this.button.hidden = !this.composition;
    // A button that is hidden loses the focus.
    if (this.button.hidden && hadFocus) document.getElementById('wall-button').focus();
  }

  /** Lets the layers change places. A press while they do so is no further one. */
  async press() {
    const { composition: input, state, isBusy } = this;
    if (isBusy) return;
    if (!input) {
      say('Nothing can change places: the page shows no composition of two cameras.');
      return;
    }
    this.isBusy = true;
    const { name, session } = state.session;
    const names = inputNames(state.session, state.knownDevices);
    const wanted = withSwap(session, input.id);
    const committed = await sayingErrors(() => configureSession(name, wanted, session.etag));
    this.isBusy = false;
    if (!committed) return;
    state.learn(committed);
    const [first, second] = input.composition.layers.map((layer) => names.get(layer.input));
    tell(`${first} and ${second} have changed places.`);
  }
}

/** The configuration that a client asked for, with the layers of a composition swapped. */
function withSwap({ configuration }, id) {
  // A composition that has no id in the request is called so.
  const isMeant = (input) => input.composition && (input.id || 'composition') === id;
  const change = (input) => (isMeant(input) ? { ...input, composition: swapped(input.composition) } : input);
  return { ...configuration, inputs: configuration.inputs.map(change) };
}

/**
 * The composition with its two first layers in each other's place. Their cameras stay where they are in the list: the
 * first one counts the frames, so another first one would begin another stream.
 */
function swapped(composition) {
  const { layers } = composition;
  const stack = [...layers.keys()].sort((a, b) => layers[a].order - layers[b].order || a - b);
  // Layers of the same order lie as in the list, which stays, so each layer gets an order of its own.
  const placed = layers.map((layer, index) => ({ ...layer, order: stack.indexOf(index) }));
  const [first, second, ...others] = placed;
  const place = ({ rect, order, cornerRadius }) => ({ rect, order, cornerRadius });
  return { ...composition, layers: [{ ...first, ...place(second) }, { ...second, ...place(first) }, ...others] };
}

// The small pictures beside the large one, for a session whose previews show several cameras and compositions. A press
// makes one of them large.

import { CameraView } from './camera-view.js';
import { inputNames, noticeWords } from './sentences.js';
import { describeTile, makeTile, makeTileCanvas } from './tile.js';

export class SmallPictures {
  constructor(element, state, stage) {
    Object.assign(this, { element, state, stage });
    /** The tiles of the selected session by the id of the preview. */
    this.tiles = new Map();
    stage.smallPictures = this;
    for (const kind of ['sessions', 'devices', 'picture', 'layout']) state.on(kind, () => this.show());
    state.on('preview-status', () => this.describe());
    this.show();
  }

  /** The views of all tiles, in their order. */
  get all() {
    return [...this.tiles.values()].map(({ view }) => view);
  }

  /** The views of the tiles but for the one that is large, which gets no pictures. */
  views() {
    const large = this.stage.picture?.output;
    return this.all.filter(({ output }) => output !== large);
  }

  /** The view of a preview. Undefined when it has none. */
  view(output) {
    return this.tiles.get(output)?.view;
  }

  show() {
    const { state } = this;
    const pictures = (state.layout === 'one' && state.session?.pictures) || [];
    const outputs = pictures.length > 1 ? pictures.map(({ output }) => output) : [];
    for (const [output, { view }] of this.tiles) {
      if (!outputs.includes(output) || view.session !== state.selected) this.remove(output);
    }
    for (const output of outputs) if (!this.tiles.has(output)) this.add(output);
    this.element.hidden = outputs.length === 0;
    this.describe();
    this.stage.changed();
  }

  add(output) {
    const canvas = makeTileCanvas();
    const tile = makeTile(canvas);
    tile.view = new CameraView(canvas, this.state.selected, {
      output,
      changed: () => this.stage.changed(),
      drawn: (view) => this.stage.drawn(view),
    });
    tile.button.addEventListener('click', () => {
      if (output !== this.stage.picture?.output) this.stage.choose(output);
    });
    this.tiles.set(output, tile);
    this.element.append(tile.item);
  }

  remove(output) {
    const { view, item } = this.tiles.get(output);
    view.close();
    item.remove();
    this.tiles.delete(output);
  }

  describe() {
    const { session, devices, knownDevices } = this.state;
    const large = this.stage.picture?.output;
    const names = session && inputNames(session, knownDevices);
    for (const { output, input } of session?.pictures ?? []) {
      const tile = this.tiles.get(output);
      if (!tile) continue;
      const isCurrent = output === large;
      // Its tile gets no pictures while it is large.
      if (isCurrent) tile.view.picture.expire();
      const notice = isCurrent ? null : noticeWords({ connection: 'live', session, devices }, tile.view);
      const action = isCurrent ? 'shown large' : 'live, show it large';
      describeTile(tile, { name: names.get(input.id), notice, action, isCurrent });
    }
  }
}

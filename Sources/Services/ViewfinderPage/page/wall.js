// The wall of all cameras. A camera with a session is live; any other camera is a card that opens one.

import { CameraView } from './camera-view.js';
import { openSession } from './daemon.js';
import { sayingErrors } from './messages.js';
import { cameraName, noticeWords } from './sentences.js';
import { describeTile, makeTile, makeTileCanvas } from './tile.js';

const GAP = 10;
const SMALLEST_TILE = 150;
const SHAPE = 16 / 9;

export class Wall {
  constructor(element, state, stage) {
    Object.assign(this, { element, state, stage });
    /** The tiles by session or, for a camera without one, by camera. */
    this.tiles = new Map();
    stage.wall = this;
    for (const kind of ['layout', 'sessions', 'devices', 'selected']) state.on(kind, () => this.show());
    state.on('preview-status', () => this.showWords());
    new ResizeObserver(() => this.arrange()).observe(element);
    stage.sizes.observe(element);
    this.show();
  }

  /** The views of all tiles, in their order. */
  views() {
    return [...this.tiles.values()].map((tile) => tile.view).filter(Boolean);
  }

  /** The view of a session. Undefined when it has none. */
  view(session) {
    return this.tiles.get(session)?.view;
  }

  /** Selects the next or the previous camera that has a session. */
  step(distance) {
    const names = this.state.cameras().filter((camera) => camera.session).map((camera) => camera.session.name);
    if (names.length === 0) return;
    const place = names.indexOf(this.state.selected);
    this.state.select(names[(place + distance + names.length) % names.length]);
  }

  show() {
    const isWall = this.state.layout === 'wall';
    document.documentElement.dataset.layout = this.state.layout;
    this.element.hidden = !isWall;
    document.getElementById('next-button').disabled = this.state.cameras().filter((each) => each.session).length < 2;
    if (!isWall) return;
    const cameras = this.state.cameras();
    const keys = new Set(cameras.map((camera) => camera.session?.name ?? camera.device.name));
    for (const [key, tile] of this.tiles) if (!keys.has(key)) this.remove(key, tile);
    for (const camera of cameras) {
      const key = camera.session?.name ?? camera.device.name;
      const tile = this.tiles.get(key) ?? this.add(key, camera);
      tile.camera = camera;
      this.element.append(...(tile.item.parentNode ? [] : [tile.item]));
    }
    this.showWords();
    this.arrange();
    this.stage.changed();
  }

  add(key, { session }) {
    const canvas = session ? makeTileCanvas() : undefined;
    const tile = makeTile(canvas);
    const { button } = tile;
    if (session) {
      tile.view = new CameraView(canvas, session.name, {
        changed: () => this.stage.changed(),
        drawn: (view) => this.stage.drawn(view),
      });
    }
    button.addEventListener('click', () => this.open(tile.camera));
    button.addEventListener('focus', () => {
      if (session && button.matches(':focus-visible')) this.state.select(session.name);
    });
    this.tiles.set(key, tile);
    return tile;
  }

  remove(key, tile) {
    tile.view?.close();
    tile.item.remove();
    this.tiles.delete(key);
  }

  showWords() {
    for (const tile of this.tiles.values()) {
      const { session, device } = tile.camera;
      describeTile(tile, {
        name: cameraName(device, session),
        notice: this.notice(tile.camera, tile.view),
        action: 'live, show it large',
        isCurrent: Boolean(session) && session.name === this.state.selected,
      });
    }
  }

  notice({ session, device }, view) {
    if (session) return noticeWords({ connection: 'live', session, devices: this.state.devices }, view);
    if (device.unavailable) return { title: 'Not available', text: device.unavailable.message };
    return { title: 'Open', text: 'No session runs this camera.' };
  }

  async open({ session, device }) {
    if (session) {
      this.state.select(session.name);
      this.state.setLayout('one');
      return;
    }
    const opened = await sayingErrors(() => openSession(device.name));
    if (!opened) return;
    this.state.opened(opened, device.name);
  }

  /** Makes the tiles as large as the window allows. */
  arrange() {
    const count = this.tiles.size;
    if (this.element.hidden || count === 0) return;
    const style = getComputedStyle(this.element);
    const width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = this.element.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    let best = { columns: 1, width: 0 };
    for (let columns = 1; columns <= count; columns += 1) {
      const rows = Math.ceil(count / columns);
      const byWidth = (width - GAP * (columns - 1)) / columns;
      const byHeight = ((height - GAP * (rows - 1)) / rows) * SHAPE;
      const fitting = Math.floor(Math.min(byWidth, byHeight));
      if (fitting > best.width) best = { columns, width: fitting };
    }
    if (best.width < SMALLEST_TILE) best = { columns: 2, width: Math.floor((width - GAP) / 2) };
    this.element.style.setProperty('--columns', best.columns);
    this.element.style.setProperty('--tile', `${best.width}px`);
  }
}

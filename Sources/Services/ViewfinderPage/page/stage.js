// What the viewfinder shows: the large picture of the selected session and the small ones beside it, or the tiles of
// the wall. The stage says which previews the stream should carry, and gives each message to its view.

import { CameraView } from './camera-view.js';

/** The most previews that a stream of the viewfinder carries. */
const MAXIMUM_PREVIEWS = 16;

export class Stage {
  /** `changed` is called when the stream should carry something else. */
  constructor(state, changed) {
    this.state = state;
    this.changed = changed;
    this.canvas = document.getElementById('picture');
    /** The view of the large picture. */
    this.large = null;
    /** The preview of the selected session that the person has chosen to see large. Undefined: the main one. */
    this.chosen = undefined;
    /** The wall, once it is loaded: `views` returns its views by session. */
    this.wall = null;
    /** The small pictures beside the large one, once they are loaded. */
    this.smallPictures = null;
    /** Called with a view after each of its pictures. */
    this.drawnListeners = new Set();
    this.roundTrip = () => 0;
    state.on('selected', () => this.choose(undefined));
    state.on('layout', () => this.layoutChanged());
    state.on('connection', () => this.expirePictures());
    state.on('sessions', () => this.sessionsChanged());
    state.on('settled', () => changed());
    this.sizes = new ResizeObserver(() => this.sizeChanged());
    this.sizes.observe(this.canvas);
  }

  /** The view whose picture the shutter takes. Null while there is none. */
  get current() {
    if (this.state.layout === 'wall') return this.wall?.view(this.state.selected) ?? null;
    return this.large;
  }

  /** All views on the screen. */
  get views() {
    if (this.state.layout === 'wall' && this.wall) return this.wall.views().slice(0, MAXIMUM_PREVIEWS);
    return this.large ? [this.large, ...(this.smallPictures?.views() ?? [])] : [];
  }

  /** The large one of the pictures of the selected session. Undefined while there is none. */
  get picture() {
    const pictures = this.state.session?.pictures ?? [];
    return pictures.find(({ output }) => output === this.chosen) ?? pictures[0];
  }

  /** The camera of the large picture. While that is a composition: the first camera. Undefined while there is none. */
  get camera() {
    const input = this.picture?.input;
    return input?.device ? input : this.state.session?.configuration?.inputs[0];
  }

  /** What the stream should carry. */
  contents() {
    const { state } = this;
    const views = this.views.filter((view) => !view.error || view.error.reason !== 'OUTPUT_NOT_FOUND');
    return {
      previews: views.map((view) => view.preview(this.roundTrip(), this.capturedWidth(view))),
      sessions: state.watchedSessions,
      pressure: state.isSettled,
      devices: state.isSettled,
      meteredSessions: this.showsSound ? [state.selected] : [],
    };
  }

  /** Whether the page shows how loud the microphones of the large picture are. */
  get showsSound() {
    const { isSettled, layout, session } = this.state;
    return Boolean(isSettled && layout === 'one' && session?.isRunning && session.microphones.length);
  }

  receive({ id, message }, consumed) {
    const view = this.views.find((each) => each.id === id);
    if (view) view.receive(message, consumed);
    else consumed();
    if (view && message.content === 'status') this.state.tell('preview-status', view);
  }

  /** Takes over that a preview has ended. Returns whether the part was a preview. */
  partEnded(ending) {
    if (ending.part !== 'previewId') return false;
    const view = this.views.find((each) => each.id === ending.previewId);
    view?.ended(ending.error);
    if (view) this.state.tell('preview-status', view);
    if (view?.error.reason === 'OUTPUT_REMOVED') this.askAgain(view);
    this.state.settle();
    return true;
  }

  /** Asks for a preview that was removed anew, if a commit has added it again. */
  askAgain(view) {
    const session = this.state.sessions.get(view.session);
    if (session?.pictures.some(({ output }) => output === (view.output ?? session.mainPreview))) view.ask();
  }

  /** Forgets why previews have ended, because another stream begins. */
  forgetErrors() {
    for (const view of [...this.views, ...(this.smallPictures?.all ?? [])]) view.error = null;
  }

  onDrawn(listener) {
    this.drawnListeners.add(listener);
  }

  drawn(view) {
    // The picture was still on its way when the session stopped.
    if (this.isStopped(view)) view.picture.expire();
    for (const listener of this.drawnListeners) listener(view);
    this.state.settle();
  }

  /** Shows the picture of a preview of the selected session large. */
  choose(output) {
    this.chosen = output;
    this.showLarge();
    this.state.tell('picture');
  }

  showLarge() {
    this.large?.close();
    this.large = null;
    if (this.state.selected && this.state.layout === 'one') this.makeLarge();
    this.changed();
  }

  layoutChanged() {
    // The tiles of the wall have the pictures of when it was last shown.
    this.expirePictures();
    this.showLarge();
  }

  sessionsChanged() {
    for (const view of this.views) {
      if (this.isStopped(view) || this.state.sessions.get(view.session)?.isReconfiguring) view.picture.expire();
    }
    for (const view of this.views) {
      if (['OUTPUT_REMOVED', 'OUTPUT_NOT_FOUND'].includes(view.error?.reason)) this.askAgain(view);
    }
    // A commit has taken the preview of the large picture away, or the session has its first one.
    const { picture } = this;
    if (this.large && picture && picture.output !== this.large.output) this.choose(this.chosen);
    else this.changed();
  }

  /** Whether no further picture comes for a view, until its session or its camera starts again. */
  isStopped({ session, output }) {
    return ['INTERRUPTED', 'STOPPING', 'STOPPED'].includes(this.state.sessions.get(session)?.stateOf(output));
  }

  /** Marks all pictures as old ones, because the pictures that follow do not belong to them. */
  expirePictures() {
    const views = this.state.layout === 'wall' && this.wall ? this.wall.views() : this.views;
    for (const { picture } of views) {
      picture.restart();
      picture.expire();
    }
  }

  makeLarge() {
    const { state, picture } = this;
    this.large = new CameraView(this.canvas, state.selected, {
      output: picture?.output,
      codec: state.codec,
      changed: this.changed,
      drawn: (view) => this.drawn(view),
    });
    const isMain = picture?.output === state.session?.mainPreview;
    const small = this.smallPictures?.view(picture?.output) ?? (isMain ? this.wall?.view(state.selected) : undefined);
    if (small?.drawn) this.large.picture.copy(small.picture);
    else this.large.picture.clear();
  }

  sizeChanged() {
    clearTimeout(this.sizeTimer);
    this.sizeTimer = setTimeout(this.changed, 200);
  }

  /** The width of the frames that a view shows, after rotation the longer side. */
  capturedWidth({ session, output }) {
    const { composition, format } = this.state.sessions.get(session)?.inputOf(output) ?? {};
    const size = composition ?? format;
    return size ? Math.max(size.width, size.height) : 0;
  }
}

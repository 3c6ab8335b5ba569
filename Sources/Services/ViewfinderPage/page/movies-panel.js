// The tab with the recordings of the selected session, the newest first.

import { arrange, make, makeButton } from './dom.js';
import { say, sayingErrors } from './messages.js';
import { MovieItem } from './movie-item.js';
import { MoviePlayer } from './movie-player.js';
import { MovieThumbnails } from './movie-thumbnails.js';
import { asked } from './question.js';
import { deleteRecording, listRecordings } from './recording-requests.js';

/** How many recordings are shown at first, and how many more at each press of the button. */
const STEP = 12;

export class MoviesPanel {
  constructor(element, state) {
    Object.assign(this, { element, state });
    this.isShown = false;
    /** The recordings of the session that were read, the newest first. */
    this.recordings = [];
    /** Where the older recordings begin that were not read. Empty: all were read. */
    this.pageToken = '';
    this.session = '';
    /** The items that are shown, by recording. */
    this.items = new Map();
    this.count = STEP;
    this.thumbnails = new MovieThumbnails();
    this.player = new MoviePlayer(document.getElementById('player'), state);
    this.heading = make('h2', { tabIndex: -1 }, 'Movies');
    this.empty = make('p', {}, 'Movies of this camera appear here. The daemon keeps them until somebody deletes them.');
    this.list = make('ul', { className: 'photos saved movies', 'aria-label': 'Movies' });
    this.more = makeButton('Show more', () => this.showMore(), { id: 'more-movies' });
    element.append(this.heading, this.empty, this.list, make('div', { className: 'actions' }, this.more));
    state.on('recording-told', (recording) => this.tell(recording));
    state.on('selected', () => { if (this.isShown) this.read(); });
    state.on('connection', () => { if (this.isShown && state.connection === 'live') this.read(); });
    this.build();
  }

  show() {
    this.isShown = true;
    this.read();
  }

  hide() {
    this.isShown = false;
  }

  /** Reads the list of recordings anew, as far as it is shown. */
  async read() {
    const session = this.state.selected;
    if (session !== this.session) {
      Object.assign(this, { session, recordings: [], pageToken: '', count: STEP });
      // The list of another camera must not stay when this one cannot be read.
      this.build();
    }
    if (session && await this.readPage('')) await this.readShown();
  }

  /** Reads older recordings until there are as many as are shown. */
  async readShown() {
    while (this.recordings.length < this.count && this.pageToken) if (!await this.readPage(this.pageToken)) return;
  }

  /** Reads one page of the list, and returns whether the list is still about its session. */
  async readPage(pageToken) {
    const { session } = this;
    const page = await sayingErrors(() => listRecordings(session, pageToken));
    if (!page || session !== this.state.selected) return false;
    const known = pageToken ? this.recordings : [];
    const names = new Set(known.map(({ name }) => name));
    this.recordings = [...known, ...page.recordings.filter(({ name }) => !names.has(name))];
    this.pageToken = page.nextPageToken;
    this.build();
    return true;
  }

  /** Takes over what the daemon tells of one recording. */
  tell(recording) {
    if (recording.session !== this.session) return;
    const place = this.recordings.findIndex(({ name }) => name === recording.name);
    if (place >= 0) this.recordings[place] = recording;
    else this.recordings.unshift(recording);
    this.build();
  }

  /** Shows the first recordings. Items that are shown already stay the same elements. */
  build() {
    const shown = this.recordings.slice(0, this.count);
    const names = new Set(shown.map(({ name }) => name));
    for (const [name, item] of this.items) if (!names.has(name)) this.drop(name, item);
    arrange(this.list, shown.map((recording) => {
      const item = this.items.get(recording.name) ?? this.add(recording);
      item.update(recording);
      return item.element;
    }));
    this.empty.hidden = this.recordings.length > 0;
    this.more.hidden = this.recordings.length <= this.count && !this.pageToken;
    this.thumbnails.read();
  }

  add(recording) {
    const item = new MovieItem(recording, {
      play: (each) => this.player.open(each.recording, each.about),
      remove: (each) => this.delete(each),
    });
    this.items.set(recording.name, item);
    this.thumbnails.add(item);
    return item;
  }

  drop(name, item) {
    this.items.delete(name);
    this.thumbnails.remove(item);
    item.element.remove();
  }

  async showMore() {
    const next = this.count;
    this.count += STEP;
    this.build();
    await this.readShown();
    this.list.children[next]?.querySelector('button:not([disabled])')?.focus();
  }

  async delete(item) {
    const { name } = item.recording;
    const text = `The movie of ${item.about} is removed from the daemon's disk. Nothing brings it back.`;
    if (!await asked('Delete the movie?', text, 'Delete')) return;
    if (await sayingErrors(() => deleteRecording(name).then(() => true)) === undefined) return;
    const place = [...this.list.children].indexOf(item.element);
    this.recordings = this.recordings.filter((each) => each.name !== name);
    this.build();
    const next = this.list.children[Math.min(place, this.list.children.length - 1)];
    (next?.querySelector('button:not([disabled])') ?? this.heading).focus();
    say('The movie is deleted.');
  }
}

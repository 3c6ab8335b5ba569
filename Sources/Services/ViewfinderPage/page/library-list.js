// The list of the photo library, the newest photo first, over all sessions.

import { AssetItem } from './asset-item.js';
import { arrange, make, makeButton } from './dom.js';
import { deleteAsset, isRefusal, listAssets, PAGE_SIZE } from './library-requests.js';
import { say } from './messages.js';
import { PhotoViewer } from './photo-viewer.js';
import { asked } from './question.js';

const EMPTY = 'Photos that are taken on this page are saved here until somebody deletes them.';

export class LibraryList {
  /** `changed` is called when the list is another one, and `deleted` with an asset that is deleted. */
  constructor(state, { changed, deleted }) {
    Object.assign(this, { state, changed, deleted });
    this.isShown = false;
    /** Why the library cannot be read. Null when it can, undefined until that is known. */
    this.error = undefined;
    /** The items of the assets that were read, the newest first. All of them are shown. */
    this.items = [];
    /** Where the older assets begin that were not read. Empty: all were read. */
    this.pageToken = '';
    /** How many assets were asked for. */
    this.count = PAGE_SIZE;
    this.viewer = new PhotoViewer(document.getElementById('photo'), state);
    this.heading = make('h2', { id: 'library-title', tabIndex: -1 }, 'Library');
    /** What is said where no photo is. */
    this.empty = make('p');
    this.list = make('ul', { className: 'photos saved library', 'aria-labelledby': 'library-title' });
    this.more = makeButton('Show more', () => this.showMore(), { id: 'more-photos' });
    this.element = make('section', { hidden: true },
      this.heading, this.empty, this.list, make('div', { className: 'actions' }, this.more));
    state.on('connection', () => { if (state.connection === 'live') this.read(); });
  }

  show() {
    this.isShown = true;
    this.read();
  }

  hide() {
    this.isShown = false;
  }

  get assets() {
    return this.items.map(({ asset }) => asset);
  }

  /** Reads the first page while the list is shown. */
  async read() {
    if (!this.isShown) return;
    const page = await this.readPage('');
    if (!page) return;
    const names = new Set(page.assets.map(({ name }) => name));
    const lastKnown = this.items.findLastIndex(({ asset }) => names.has(asset.name));
    const older = this.items.slice(lastKnown + 1);
    const length = page.assets.length + older.length;
    // When nothing of the page is known, there may be others before the older ones. A list that has grown by many
    // photos begins anew, so that it does not grow for ever.
    if (!page.nextPageToken || lastKnown < 0 || length > this.count + PAGE_SIZE) {
      this.count = PAGE_SIZE;
      this.take(page.assets, page.nextPageToken);
    } else {
      const assets = [...page.assets, ...older.map(({ asset }) => asset)];
      this.take(assets, older.length ? this.pageToken : page.nextPageToken);
    }
  }

  /** Reads a page. Undefined when there is none: the person has been told why, or another request brings it. */
  async readPage(pageToken) {
    try {
      const page = await listAssets(pageToken);
      if (page) this.error = null;
      return page;
    } catch (error) {
      if (isRefusal(error)) {
        this.error = error;
        this.take([], '');
      } else {
        if (this.error === undefined) this.tellWhy(error);
        say(error.message, { isError: true });
      }
      return undefined;
    }
  }

  /** Says why there is no list yet, until it can be read. */
  tellWhy({ message }) {
    this.empty.textContent = `The library cannot be read at the moment. ${message}`;
    this.more.hidden = true;
    this.element.hidden = false;
  }

  /** Shows assets. Items that are shown already stay the same elements. */
  take(assets, pageToken) {
    const known = new Map(this.items.map((item) => [item.asset.name, item]));
    this.items = assets.map((asset) => {
      const item = known.get(asset.name) ?? this.itemOf(asset);
      known.delete(asset.name);
      return item;
    });
    for (const item of known.values()) item.release();
    this.pageToken = pageToken;
    arrange(this.list, this.items.map(({ element }) => element));
    this.element.hidden = Boolean(this.error);
    this.empty.textContent = EMPTY;
    this.empty.hidden = this.items.length > 0;
    this.more.hidden = !pageToken;
    this.changed();
  }

  itemOf(asset) {
    return new AssetItem(asset, this.state.knownDevices.get(asset.device), {
      open: (item) => this.viewer.open(item),
      remove: (item) => this.delete(item),
    });
  }

  async showMore() {
    const { pageToken } = this;
    const page = await this.readPage(pageToken);
    // The list may have begun anew meanwhile.
    if (!page || pageToken !== this.pageToken) return;
    this.count += PAGE_SIZE;
    const names = new Set(this.assets.map(({ name }) => name));
    const next = this.items.length;
    this.take([...this.assets, ...page.assets.filter(({ name }) => !names.has(name))], page.nextPageToken);
    this.list.children[next]?.querySelector('button').focus();
  }

  async delete(item) {
    const { name } = item.asset;
    const text = `The photo of ${item.about} is removed from the daemon's disk. Nothing brings it back.`;
    if (!await asked('Delete the photo?', text, 'Delete')) return;
    try {
      await deleteAsset(name);
      say('The photo is deleted.');
    } catch (error) {
      say(error.message, { isError: true });
      // Somebody else may have been faster.
      if (error.reason !== 'ASSET_NOT_FOUND') return;
    }
    const place = this.items.findIndex(({ asset }) => asset.name === name);
    this.deleted(name);
    this.take(this.assets.filter((asset) => asset.name !== name), this.pageToken);
    const next = this.items[Math.min(place, this.items.length - 1)];
    (next?.element.querySelector('button') ?? this.heading).focus();
    this.read();
  }
}

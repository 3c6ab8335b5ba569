// The latest photos: the well beside the shutter, and the list of those that the library does not show.

import { downloadCapture, listCaptures } from './daemon.js';
import { arrange, icon, make } from './dom.js';
import { identityOf } from './library-requests.js';
import { say } from './messages.js';
import { dateOf } from './sentences.js';
import { isOwnCapture } from './shutter.js';

/** The most photos that the page keeps. */
const KEPT = 12;

const TYPES = { JPEG: ['image/jpeg', 'jpg'], PNG: ['image/png', 'png'], HEIC: ['image/heic', 'heic'] };
const SHOWN = new Set(['JPEG', 'PNG']);

export class ImageWell {
  /** `library` says whether the library can be read, and `saver` saves the photos of this page in it. */
  constructor(state, library, saver) {
    Object.assign(this, { state, library, saver });
    /** The photos, the newest first: { key, name, session, photo, url, words, asset, isDeleted, item }. */
    this.photos = state.photos;
    this.list = make('ul', { className: 'photos', 'aria-labelledby': 'others-title' });
    this.remark = make('p', {}, 'The daemon keeps these photos for a minute, this page until it is closed.');
    this.element = make('section', { hidden: true },
      make('h2', { id: 'others-title' }, 'Not in the library'), this.remark, this.list);
    state.on('capture', ({ session, event }) => this.apply(session, event));
    state.on('connection', () => { if (state.connection === 'live') this.reading = this.readKept(); });
    /** Ends when the page has taken in all that the daemon kept before it told the newest event. */
    this.reading = this.readKept();
  }

  /** Takes in the photos that the daemon keeps. */
  async readKept() {
    // The list may be older than a capture that the page hears of meanwhile.
    const known = this.saver.names;
    const captures = await listCaptures().catch(() => null);
    if (!captures) return;
    for (const { name, state, session, photo, bracketedPhotos } of captures) {
      for (const each of bracketedPhotos.length ? bracketedPhotos : [photo]) if (each) this.add(name, session, each);
      if (state === 'FINISHED') this.saver.finish(name);
      else if (state === 'FAILED') this.saver.leave(name);
    }
    const kept = new Set(captures.map(({ name }) => name));
    this.saver.leaveGone(known.filter((name) => !kept.has(name)));
    this.build();
  }

  apply(session, event) {
    const isOwn = isOwnCapture(event.uniqueId);
    const name = `captures/${event.uniqueId}`;
    if (event.event === 'didFinishProcessingPhoto' && event.didFinishProcessingPhoto.photo) {
      const isNew = this.add(name, session, event.didFinishProcessingPhoto.photo);
      if (isOwn && isNew) say('The photo is taken.');
    } else if (event.event === 'didFinishCapture') {
      const { error } = event.didFinishCapture;
      if (isOwn && error) say(`There is no photo. ${error.message}`, { isError: true });
      if (error) this.saver.leave(name);
      // A list that is on its way may have a photo of the capture that the page was not told of.
      else this.reading.then(() => this.saver.finish(name));
      this.build();
    }
  }

  /** Takes in a photo, and returns whether the page did not know it. */
  add(name, session, photo) {
    if (isOwnCapture(name.slice('captures/'.length))) this.saver.take(name, session, photo);
    const key = `${name} ${photo.bracketIndex ?? 0}`;
    const known = this.photos.find((each) => each.key === key);
    // A download that failed is tried again when the page hears of the photo again.
    if (known) known.words = '';
    else this.photos.unshift({ key, name, session, photo, url: '', words: '', asset: '' });
    this.photos.sort((a, b) => Number(b.photo.monotonicTimeNs - a.photo.monotonicTimeNs));
    for (const old of this.photos.splice(KEPT)) this.release(old);
    this.build();
    return !known;
  }

  /** Takes over which assets the photos of a capture have become, as [bracket index, asset] pairs. */
  saved(name, assets) {
    for (const [bracketIndex, asset] of assets) {
      const entry = this.photos.find(({ key }) => key === `${name} ${bracketIndex}`);
      if (entry) entry.asset = asset;
    }
    this.build();
  }

  /** Takes over which assets there are. Whoever saves a photo, it becomes an asset with the same time. */
  match(assets) {
    const names = new Map(assets.map((asset) => [identityOf(asset.session, asset), asset.name]));
    for (const entry of this.photos) entry.asset ||= names.get(identityOf(entry.session, entry.photo)) ?? '';
    this.build();
  }

  deleted(asset) {
    for (const entry of this.photos) if (entry.asset === asset) entry.isDeleted = true;
    this.build();
  }

  /** Whether a photo is in the list: the library does not show it, and will not in a moment. */
  isListed({ name, asset, isDeleted }) {
    return !isDeleted && !this.saver.isUnderWay(name) && (!asset || Boolean(this.library.error));
  }

  /** Shows the photos, and lets go of the pictures that nobody sees. */
  build() {
    const newest = this.photos.find(isInWell);
    for (const entry of this.photos) {
      const isListed = this.isListed(entry);
      const isNewer = !newest || entry.photo.monotonicTimeNs >= newest.photo.monotonicTimeNs;
      const isForWell = isNewer && !entry.isDeleted && SHOWN.has(entry.photo.encoding);
      if (!isListed && !isForWell) this.release(entry);
      else if (!entry.url && !entry.words) this.load(entry);
      if (!isListed) entry.item = null;
      else if (!entry.item) this.fill(entry);
    }
    arrange(this.list, this.photos.filter(({ item }) => item).map(({ item }) => item));
    this.element.hidden = this.list.children.length === 0;
    const count = this.photos.filter(({ isDeleted }) => !isDeleted).length;
    document.getElementById('well-label').textContent = `Photos: ${count}`;
    this.showNewest(newest);
  }

  release(entry) {
    if (entry.url) URL.revokeObjectURL(entry.url);
    Object.assign(entry, { url: '', words: '', item: null });
  }

  async load(entry) {
    if (entry.isLoading) return;
    entry.isLoading = true;
    const [type] = TYPES[entry.photo.encoding] ?? ['application/octet-stream'];
    try {
      const pieces = await downloadCapture(entry.name, entry.photo.bracketIndex ?? 0);
      entry.url = URL.createObjectURL(new Blob(pieces, { type }));
    } catch (error) {
      entry.words = error.message;
    } finally {
      entry.isLoading = false;
    }
    if (!this.photos.includes(entry)) this.release(entry);
    if (entry.item) this.fill(entry);
    this.build();
  }

  /** Fills the item of a photo: the picture or words in its place, facts, and the link for the download. */
  fill(entry) {
    const { photo, url, words, session } = entry;
    const time = dateOf(photo.captureTime);
    const id = session.slice('sessions/'.length);
    const about = `${id}, ${time.toLocaleTimeString()}`;
    const blank = url ? `${photo.encoding}: this browser shows no picture of it.` : words || 'Loading';
    const image = isInWell(entry)
      ? make('img', { src: url, alt: `Photo of ${about}`, width: photo.width, height: photo.height })
      : make('div', { className: 'blank' }, blank);
    const size = `${photo.width} × ${photo.height} · ${(Number(photo.byteCount) / 1000).toFixed(0)} kB`;
    const more = [size, matchWords(photo)].map((line) => make('small', {}, line));
    const facts = make('p', { className: 'facts' }, about, ...more);
    const [, extension] = TYPES[photo.encoding] ?? ['', 'raw'];
    const stamp = time.toISOString().replace(/[:.]/g, '-');
    entry.item ??= make('li');
    entry.item.replaceChildren(image, facts);
    if (url) {
      const properties = { href: url, download: `${id}-${stamp}.${extension}` };
      const label = { 'aria-label': `Download the photo of ${about}` };
      entry.item.append(make('a', { ...properties, ...label }, icon('download'), 'Download'));
    }
    entry.item.dataset.capture = entry.name;
  }

  /** Shows a photo in the well, or the sign of the well when there is none. */
  showNewest(newest) {
    const picture = document.getElementById('well-picture');
    const key = newest?.key ?? '';
    if ((picture.dataset.key ?? '') === key) return;
    picture.dataset.key = key;
    picture.replaceChildren(newest ? make('img', { src: newest.url, alt: '', className: 'arrived' }) : icon('photos'));
  }
}

/** Whether the well can show a photo. */
function isInWell({ url, isDeleted, photo }) {
  return url && !isDeleted && SHOWN.has(photo.encoding);
}

/** Whether the photo shows the frame that was on the screen. */
function matchWords({ frameMatch, sequence }) {
  const frame = `Frame ${sequence}`;
  if (frameMatch === 'NEAREST') return `${frame}, the nearest to the one on the screen`;
  if (frameMatch === 'DAMAGED') return `${frame}, because the one on the screen was damaged`;
  return frame;
}

// The latest photos: the well beside the shutter, and the tab where they can be downloaded.

import { downloadCapture, listCaptures } from './daemon.js';
import { icon, make } from './dom.js';
import { say } from './messages.js';

/** The most photos that the page keeps. */
const KEPT = 12;

const TYPES = { JPEG: ['image/jpeg', 'jpg'], PNG: ['image/png', 'png'], HEIC: ['image/heic', 'heic'] };
const SHOWN = new Set(['JPEG', 'PNG']);

export class ImageWell {
  constructor(element, state, shutter) {
    Object.assign(this, { element, state });
    /** The photos, the newest first: { key, name, session, photo, url }. */
    this.photos = state.photos;
    /** The captures that this page asked for. */
    this.own = new Set(shutter.requested);
    this.list = make('ul', { className: 'photos' });
    this.empty = make('p', {}, 'Photos appear here. The daemon keeps each for a minute, this page until it is closed.');
    element.append(this.empty, this.list);
    state.on('shutter', ({ uniqueId }) => this.own.add(uniqueId));
    state.on('capture', ({ session, event }) => this.apply(session, event));
    state.on('connection', () => { if (state.connection === 'live') this.readKept(); });
    this.readKept();
  }

  show() {}

  hide() {}

  /** Takes in the photos that the daemon keeps. */
  async readKept() {
    const captures = await listCaptures().catch(() => []);
    for (const { name, session, photo, bracketedPhotos } of captures) {
      for (const each of bracketedPhotos.length ? bracketedPhotos : [photo]) if (each) this.add(name, session, each);
    }
  }

  apply(session, event) {
    const isOwn = this.own.has(event.uniqueId);
    if (event.event === 'didFinishProcessingPhoto' && event.didFinishProcessingPhoto.photo) {
      this.add(`captures/${event.uniqueId}`, session, event.didFinishProcessingPhoto.photo);
      if (isOwn) say('The photo is taken.');
    } else if (event.event === 'didFinishCapture') {
      const { error } = event.didFinishCapture;
      if (isOwn && error) say(`There is no photo. ${error.message}`, { isError: true });
      this.own.delete(event.uniqueId);
    }
  }

  add(name, session, photo) {
    const key = `${name} ${photo.bracketIndex ?? 0}`;
    const known = this.photos.find((each) => each.key === key);
    // A download that failed is tried again when the page hears of the photo again.
    if (known && !known.url && !known.isLoading) this.load(known);
    if (known) return;
    const entry = { key, name, session, photo, url: '', item: make('li') };
    this.photos.unshift(entry);
    this.photos.sort((a, b) => Number(b.photo.monotonicTimeNs - a.photo.monotonicTimeNs));
    for (const old of this.photos.splice(KEPT)) this.forget(old);
    this.build(entry, 'Loading');
    this.order();
    if (this.photos.includes(entry)) this.load(entry);
  }

  forget(entry) {
    if (entry.url) URL.revokeObjectURL(entry.url);
    entry.item.remove();
    entry.isForgotten = true;
  }

  async load(entry) {
    if (entry.isForgotten) return;
    entry.isLoading = true;
    const [type] = TYPES[entry.photo.encoding] ?? ['application/octet-stream'];
    try {
      const pieces = await downloadCapture(entry.name, entry.photo.bracketIndex ?? 0);
      if (entry.isForgotten) return;
      entry.url = URL.createObjectURL(new Blob(pieces, { type }));
      this.build(entry, '');
      this.showNewest();
    } catch (error) {
      this.build(entry, error.message);
    } finally {
      entry.isLoading = false;
    }
  }

  /** Builds the item of a photo: the picture or `words` in its place, facts, and the link for the download. */
  build(entry, words) {
    const { photo, url, session, item } = entry;
    const time = new Date(Number(photo.captureTime.seconds) * 1000 + photo.captureTime.nanos / 1e6);
    const id = session.slice('sessions/'.length);
    const about = `${id}, ${time.toLocaleTimeString()}`;
    const isPicture = url && SHOWN.has(photo.encoding);
    const image = isPicture
      ? make('img', { src: url, alt: `Photo of ${about}`, width: photo.width, height: photo.height })
      : make('div', { className: 'blank' }, words || `${photo.encoding}: this browser shows no picture of it.`);
    const size = `${photo.width} × ${photo.height} · ${(Number(photo.byteCount) / 1000).toFixed(0)} kB`;
    const more = [size, matchWords(photo)].map((line) => make('small', {}, line));
    const facts = make('p', { className: 'facts' }, about, ...more);
    const [, extension] = TYPES[photo.encoding] ?? ['', 'raw'];
    const stamp = time.toISOString().replace(/[:.]/g, '-');
    item.replaceChildren(image, facts);
    if (url) {
      const properties = { href: url, download: `${id}-${stamp}.${extension}` };
      const label = { 'aria-label': `Download the photo of ${about}` };
      item.append(make('a', { ...properties, ...label }, icon('download'), 'Download'));
    }
    item.dataset.capture = entry.name;
  }

  order() {
    this.list.replaceChildren(...this.photos.map((entry) => entry.item));
    this.empty.hidden = this.photos.length > 0;
    document.getElementById('well-label').textContent = `Photos: ${this.photos.length}`;
  }

  showNewest() {
    const newest = this.photos.find((entry) => entry.url && SHOWN.has(entry.photo.encoding));
    const picture = document.getElementById('well-picture');
    if (!newest || picture.dataset.key === newest.key) return;
    picture.dataset.key = newest.key;
    picture.replaceChildren(make('img', { src: newest.url, alt: '', className: 'arrived' }));
  }
}

/** Whether the photo shows the frame that was on the screen. */
function matchWords({ frameMatch, sequence }) {
  const frame = `Frame ${sequence}`;
  if (frameMatch === 'NEAREST') return `${frame}, the nearest to the one on the screen`;
  if (frameMatch === 'DAMAGED') return `${frame}, because the one on the screen was damaged`;
  return frame;
}

// Makes the first pictures of recordings, each of the recording itself. A browser has six connections to the daemon for
// all its tabs, so one recording is read at a time, and only for items of the list that a person sees.

import { fileAddress } from './movie-item.js';
import { asOnlyDownload, inTurn } from './request-queue.js';

/** The width of a picture, in pixels. */
const WIDTH = 360;

/** A time within the first picture, in seconds. */
const FIRST = 0.001;

/** How long a recording may take to give its first picture, in milliseconds. */
const PATIENCE = 15_000;

export class MovieThumbnails {
  constructor() {
    /** The addresses of the pictures by item, as long as the item is in the list. */
    this.addresses = new Map();
    /** The items on the screen that wait for their picture. */
    this.waiting = new Set();
    this.items = new Map();
    this.isReading = false;
    this.observer = new IntersectionObserver((entries) => this.seen(entries));
  }

  /** Shows the picture of an item as soon as a person sees the item. */
  add(item) {
    this.items.set(item.element, item);
    this.observer.observe(item.element);
  }

  remove(item) {
    this.items.delete(item.element);
    this.waiting.delete(item);
    this.observer.unobserve(item.element);
    URL.revokeObjectURL(this.addresses.get(item) ?? '');
    this.addresses.delete(item);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const item = this.items.get(target);
      if (isIntersecting && item) this.waiting.add(item);
      else this.waiting.delete(item);
    }
    this.read();
  }

  /** Reads the pictures of the items that wait, one after the other. Those that fail wait for the next call. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    const failed = [];
    for (let item = this.next(); item; item = this.next()) {
      this.waiting.delete(item);
      if (this.addresses.has(item)) continue;
      const address = await pictureAddress(item.recording);
      if (!this.items.has(item.element)) URL.revokeObjectURL(address ?? '');
      else if (address === undefined) failed.push(item);
      else {
        this.addresses.set(item, address);
        item.showPicture(address);
      }
    }
    for (const item of failed) if (this.items.has(item.element)) this.waiting.add(item);
    this.isReading = false;
  }

  /** An item that waits and whose recording has pictures already. */
  next() {
    return document.hidden ? undefined : [...this.waiting].find((item) => item.hasPictures);
  }
}

/**
 * The address of the first picture of a recording. Empty: the browser does not play such movies. Undefined: the movie
 * could not be read now. A browser that could not open a movie does not tell whether it lacks the decoder or the
 * connection, so the page asks the daemon whether it would give the movie.
 */
async function pictureAddress(recording) {
  const address = fileAddress(recording);
  try {
    return await asOnlyDownload(() => firstPicture(address));
  } catch (error) {
    if (![MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED, MediaError.MEDIA_ERR_DECODE].includes(error?.code)) return undefined;
    const ask = () => fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE) });
    return await inTurn(ask).then(({ ok }) => ok, () => false) ? '' : undefined;
  }
}

/** The address of the first picture of a movie. */
async function firstPicture(address) {
  const video = document.createElement('video');
  Object.assign(video, { muted: true, playsInline: true, preload: 'metadata' });
  try {
    await new Promise((resolve, reject) => {
      // Chromium draws a video that it has only loaded as nothing, and one that has jumped as its picture.
      video.addEventListener('loadeddata', () => { video.currentTime = FIRST; });
      video.addEventListener('seeked', resolve);
      video.addEventListener('error', () => reject(video.error));
      setTimeout(() => reject(new Error('The movie gives no picture in time.')), PATIENCE);
      video.src = address;
    });
    const canvas = document.createElement('canvas');
    canvas.width = Math.min(WIDTH, video.videoWidth);
    canvas.height = Math.round((canvas.width * video.videoHeight) / video.videoWidth);
    canvas.getContext('2d').drawImage(video, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/jpeg', 0.8); });
    return URL.createObjectURL(blob);
  } finally {
    // A video with an address keeps its connection.
    video.removeAttribute('src');
    video.load();
  }
}

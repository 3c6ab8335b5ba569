// Makes the first pictures of recordings, each of the recording itself. A browser has six connections to the daemon for
// all its tabs, so one recording is read at a time, and only for items of the list that a person sees.

import { fileAddress } from './movie-item.js';
import { asOnlyDownload } from './request-queue.js';

/** The width of a picture, in pixels. */
const WIDTH = 360;

/** A time within the first picture, in seconds. */
const FIRST = 0.001;

/** How long a recording may take to give its first picture, in milliseconds. */
const PATIENCE = 15_000;

export class MovieThumbnails {
  constructor() {
    /** The addresses of the pictures by recording, for as long as the page lives. Empty: the browser has none. */
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
  }

  /** Forgets the picture of a recording that was deleted. */
  forget({ name }) {
    const address = this.addresses.get(name);
    if (address) URL.revokeObjectURL(address);
    this.addresses.delete(name);
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const item = this.items.get(target);
      if (isIntersecting && item) this.waiting.add(item);
      else this.waiting.delete(item);
    }
    this.read();
  }

  /** Reads the pictures of the items that wait, one after the other. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    for (let item = this.next(); item; item = this.next()) {
      this.waiting.delete(item);
      const { name } = item.recording;
      if (!this.addresses.has(name)) {
        this.addresses.set(name, await asOnlyDownload(() => firstPicture(fileAddress(item.recording))).catch(() => ''));
      }
      if (this.items.has(item.element)) item.showPicture(this.addresses.get(name));
    }
    this.isReading = false;
  }

  /** An item that waits and whose recording has pictures already. */
  next() {
    return document.hidden ? undefined : [...this.waiting].find((item) => item.hasPictures);
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

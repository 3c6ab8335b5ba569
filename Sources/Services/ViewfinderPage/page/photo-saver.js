// Saves the photos that this page took in the photo library, all photos of a capture at once as soon as it is finished.

import { findAsset, isRefusal, saveCapture } from './library-requests.js';

/** What the library keeps. */
const KEPT = new Set(['JPEG', 'HEIC', 'PNG']);

/** How many captures the page remembers as saved. The daemon lists fewer of those that it keeps. */
const REMEMBERED = 200;

/** The pause between two looks for photos that may be saved, in milliseconds. A save that was begun takes less. */
const PAUSE = 5000;

/** How often the page looks for the photos of a capture: for about as long as the daemon keeps them. */
const LOOKS = 12;

export class PhotoSaver {
  /**
   * - saved: called with a capture and with [bracket index, asset] pairs.
   * - failed: called with an error. The photos of the capture stay in this page then.
   */
  constructor(state, { saved, failed }) {
    Object.assign(this, { state, saved, failed });
    /** The captures whose photos are to be saved: { session, photos by bracket index, isSaving, looks }. */
    this.captures = new Map();
    /** The captures of which nobody knows whether they are saved, because the answer has not come. */
    this.unsure = new Map();
    /** The captures that are saved. */
    this.done = new Set();
    /** Whether the daemon has refused to save, and would again. */
    this.isRefused = false;
    state.on('connection', () => { if (state.connection === 'live') this.tryAgain(); });
  }

  /** The captures whose photos are to be saved. */
  get names() {
    return [...this.captures.keys()];
  }

  /** Whether the photos of a capture are to be saved and are not yet. */
  isUnderWay(name) {
    return this.captures.has(name);
  }

  /** Takes in a finished photo of a capture of this page. */
  take(name, session, photo) {
    if (this.isRefused || this.done.has(name) || this.unsure.has(name) || !KEPT.has(photo.encoding)) return;
    if (!this.captures.has(name)) this.captures.set(name, { session, photos: new Map() });
    this.captures.get(name).photos.set(photo.bracketIndex ?? 0, photo);
  }

  /** Saves the photos of a capture that is finished. */
  finish(name) {
    const capture = this.captures.get(name);
    if (capture && !capture.isSaving) this.save(name, capture);
  }

  /** Leaves a capture that has failed. */
  leave(name) {
    this.captures.delete(name);
  }

  /** Leaves captures that the daemon does not have any more. */
  leaveGone(names) {
    for (const name of names) if (!this.captures.get(name)?.isSaving) this.captures.delete(name);
  }

  async save(name, capture) {
    capture.isSaving = true;
    await this.send(name, capture);
    capture.isSaving = false;
    if (this.unsure.has(name)) this.settle(name, capture);
  }

  /** Asks the daemon to save the photos. The capture is unsure afterwards when nobody knows whether it did. */
  async send(name, capture) {
    try {
      const photos = [...capture.photos.values()];
      this.took(name, photos, await saveCapture(name, photos));
    } catch (error) {
      this.forget(name);
      if (mayBeSaved(error)) this.unsure.set(name, capture);
      else this.isRefused = isRefusal(error);
      this.failed(error);
    }
  }

  /**
   * Finds out whether the photos of an unsure capture are saved, and saves them again if not. The save whose answer has
   * not come may still be under way when the page looks, so only a second look a while later tells that there is none.
   */
  async settle(name, capture) {
    capture.looks = LOOKS;
    if (capture.isSaving) return;
    capture.isSaving = true;
    let isMissing = false;
    for (; capture.looks > 0; capture.looks -= 1) {
      // A look that fails tells nothing.
      const assets = await this.find(capture).catch(() => null);
      if (assets) this.took(name, [...capture.photos.values()], assets);
      else if (assets === undefined && isMissing) await this.send(name, capture);
      isMissing = assets === undefined && !isMissing;
      if (!this.unsure.has(name)) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    capture.isSaving = false;
  }

  /** Takes over which assets photos have become. */
  took(name, photos, assets) {
    this.remember(name);
    this.forget(name);
    this.saved(name, photos.map(({ bracketIndex = 0 }, place) => [bracketIndex, assets[place]?.name ?? '']));
  }

  forget(name) {
    this.captures.delete(name);
    this.unsure.delete(name);
  }

  /**
   * The assets of a capture whose photos may be saved already. Undefined when none is. A page that may not look takes
   * them as saved, so that no photo is saved twice.
   */
  async find({ session, photos }) {
    const assets = [];
    try {
      for (const photo of photos.values()) assets.push(await findAsset(session, photo));
    } catch (error) {
      if (isRefusal(error)) return [];
      throw error;
    }
    return assets.some(Boolean) ? assets : undefined;
  }

  /** Tries again when there is a connection again, perhaps with another daemon. */
  tryAgain() {
    this.isRefused = false;
    for (const [name, capture] of this.unsure) this.settle(name, capture);
  }

  remember(name) {
    this.done.add(name);
    if (this.done.size > REMEMBERED) this.done.delete(this.done.values().next().value);
  }
}

/** Whether the photos may be saved although the call failed. An error of the daemon itself says that nothing is. */
function mayBeSaved({ reason }) {
  return !reason || reason === 'SHUTTING_DOWN';
}

// The tab with the photos: those of the library, and above them those that are not in it.

import { make } from './dom.js';
import { ImageWell } from './image-well.js';
import { LibraryList } from './library-list.js';
import { isRefusal } from './library-requests.js';
import { say } from './messages.js';
import { PhotoSaver } from './photo-saver.js';

export class PhotosPanel {
  constructor(element, state) {
    /** Why the photos of this page are not saved. Null when they are, or when none was taken. */
    this.refusal = null;
    /** Whether a photo of this page was saved. */
    this.hasSaved = false;
    this.words = make('p', { id: 'library-words', hidden: true });
    this.library = new LibraryList(state, {
      changed: () => this.changed(),
      deleted: (asset) => this.well.deleted(asset),
    });
    this.saver = new PhotoSaver(state, {
      saved: (name, assets) => this.saved(name, assets),
      failed: (error) => this.failed(error),
    });
    this.well = new ImageWell(state, this.library, this.saver);
    element.append(this.words, this.well.element, this.library.element);
  }

  show() {
    this.library.show();
  }

  hide() {
    this.library.hide();
  }

  saved(name, assets) {
    Object.assign(this, { refusal: null, hasSaved: true });
    this.well.saved(name, assets);
    this.library.read();
    this.tellRefusal();
  }

  failed(error) {
    if (isRefusal(error)) this.refusal = error;
    else say(error.message, { isError: true });
    this.well.build();
    this.tellRefusal();
  }

  changed() {
    this.well.match(this.library.assets);
    this.tellRefusal();
  }

  /** Says why photos are not saved, or not listed. */
  tellRefusal() {
    const { refusal, hasSaved, library } = this;
    const error = refusal ?? library.error;
    this.words.hidden = !error;
    this.well.remark.hidden = Boolean(error);
    if (!error) return;
    const denied = refusal && library.error === null ? 'add to' : hasSaved && !refusal ? 'see' : 'use';
    const why = error.code === 'permission_denied'
      ? `because this address may not ${denied} the photo library.`
      : `because the photo library is not available. ${error.message}`;
    this.words.textContent = hasSaved && !refusal
      ? `Photos that are taken on this page are saved. They are listed until the page is closed, ${why}`
      : `The daemon keeps photos for a minute, this page until it is closed, ${why}`;
  }
}

// Shows a photo of the library over the live picture: its thumbnail at once, and then a picture for this screen. The
// shutter rests meanwhile, because it takes the frame that a person sees.

import { assetDownload } from './asset-item.js';
import { readFile } from './connect.js';
import { icon, make, makeButton } from './dom.js';
import { requestImages } from './library-requests.js';

export class PhotoViewer {
  constructor(dialog, state) {
    Object.assign(this, { dialog, state });
    this.item = null;
    dialog.addEventListener('close', () => { if (!dialog.open) this.closed(); });
    // A press beside the dialog hits the dialog itself.
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    state.on('connection', () => { if (state.connection === 'live') this.goOn(); });
  }

  /** Opens the photo of an item of the list. */
  open(item) {
    if (this.dialog.open) return;
    // The close event of the photo before may come only when this one is open.
    this.closed();
    const { asset, about, url } = item;
    Object.assign(this, { item, url: '', isWhole: false, controller: new AbortController() });
    this.image = this.imageOf(url);
    this.words = make('p', { role: 'status', className: 'words' });
    const close = makeButton('', () => this.dialog.close(), { id: 'photo-close' });
    close.append(icon('close'), make('span', { className: 'quiet' }, 'Close the photo'));
    const download = make('a', { href: assetDownload(asset), id: 'photo-download' }, icon('download'), 'Download');
    this.dialog.replaceChildren(
      make('div', { className: 'player-head' }, make('h2', { id: 'photo-title' }, about), download, close),
      make('div', { className: 'screen' }, this.image, this.words));
    this.dialog.showModal();
    close.focus();
    this.load();
  }

  /** An image of the photo. Without an address it is not shown. */
  imageOf(address) {
    return make('img', { src: address || undefined, alt: `Photo of ${this.item.about}`, hidden: !address });
  }

  async load() {
    const { item, controller: { signal } } = this;
    const width = Math.ceil(innerWidth * devicePixelRatio);
    const height = Math.ceil(innerHeight * devicePixelRatio);
    this.words.textContent = this.image.hidden ? 'Loading' : '';
    this.isLoading = true;
    try {
      // The daemon scales JPEG photos only. What others look like, the browser knows.
      if (item.asset.encoding !== 'JPEG') await this.showFile(signal);
      else await requestImages(item.asset.name, { width, height, signal }, (image) => this.show(image, signal));
      this.isWhole = true;
    } catch (error) {
      if (!signal.aborted) this.giveUp(error);
    } finally {
      if (!signal.aborted) this.isLoading = false;
    }
  }

  /** Says why there is no better picture. Where there is none at all, what is left is the file. */
  giveUp(error) {
    this.words.textContent = error.message;
    if (this.image.hidden) document.getElementById('photo-download').focus();
  }

  /** Loads the photo again that the connection has broken off. */
  goOn() {
    if (this.item && !this.isWhole && !this.isLoading) this.load();
  }

  /** Shows a picture that the daemon has sent. */
  async show({ data, dataOmitted }, signal) {
    if (dataOmitted) await this.showFile(signal);
    else await this.replace(new Blob([data], { type: 'image/jpeg' }), signal);
  }

  /** Shows the file itself. An image that loads it would not tell a broken connection from a format that is unknown. */
  async showFile(signal) {
    const { encoding, name } = this.item.asset;
    const file = await readFile(name, signal);
    try {
      await this.replace(file, signal);
    } catch (error) {
      if (error.name !== 'EncodingError') throw error;
      throw new Error(`This browser does not show ${encoding}. Download the photo, and open it with another program.`);
    }
  }

  /** Shows another picture when it is decoded, so that the one before stays until then. */
  async replace(file, signal) {
    signal.throwIfAborted();
    const address = URL.createObjectURL(file);
    const image = this.imageOf(address);
    try {
      await image.decode();
      signal.throwIfAborted();
    } catch (error) {
      URL.revokeObjectURL(address);
      throw error;
    }
    this.image.replaceWith(image);
    this.image = image;
    this.words.textContent = '';
    URL.revokeObjectURL(this.url);
    this.url = address;
  }

  closed() {
    if (!this.item) return;
    this.controller.abort();
    URL.revokeObjectURL(this.url);
    this.item = null;
    this.dialog.replaceChildren();
  }
}

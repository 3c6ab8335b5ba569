// One photo of the library in the list: its thumbnail, what is known of it, and what can be done with it.

import { icon, make, makeButton } from './dom.js';
import { cameraName, dateOf, momentText, sizeText } from './sentences.js';

export class AssetItem {
  /** `device` is the camera, where the page knows it. `open` and `remove` are called with the item. */
  constructor(asset, device, { open, remove }) {
    const { thumbnail, ...facts } = asset;
    this.asset = facts;
    const date = dateOf(asset.captureTime);
    /** The time of the photo, for people. */
    this.about = momentText(date);
    /** The address of the thumbnail. Empty: there is none. */
    this.url = thumbnail.length ? URL.createObjectURL(new Blob([thumbnail], { type: 'image/jpeg' })) : '';
    const picture = make('span', { className: 'picture', 'aria-hidden': 'true' }, this.url
      ? make('img', { src: this.url, alt: '' })
      : make('span', {}, `There is no small picture of a ${asset.encoding} photo`));
    const openButton = makeButton('', () => open(this), {
      className: 'play', 'aria-label': `Open the photo of ${this.about}`,
    });
    openButton.append(picture);
    const download = make('a', { href: assetDownload(asset), 'aria-label': `Download the photo of ${this.about}` },
      icon('download'), 'Download');
    const deleteButton = makeButton('', () => remove(this), {
      className: 'delete', title: 'Delete', 'aria-label': `Delete the photo of ${this.about}`,
    });
    deleteButton.append(icon('delete'));
    const session = asset.session && { id: asset.session.slice('sessions/'.length) };
    const camera = device || session ? cameraName(device, session) : '';
    const lines = [camera, `${asset.width} × ${asset.height} · ${sizeText(asset.byteCount)}`];
    const time = make('time', { dateTime: date.toISOString() }, this.about);
    this.element = make('li', {}, openButton,
      make('p', { className: 'facts' }, time, ...lines.map((line) => make('small', {}, line))),
      make('div', { className: 'can' }, download, deleteButton));
    this.element.dataset.asset = asset.name;
  }

  /** Lets go of the thumbnail. */
  release() {
    URL.revokeObjectURL(this.url);
  }
}

/** The address at which a browser saves the file of an asset. */
export function assetDownload({ name }) {
  return `${name}?download`;
}

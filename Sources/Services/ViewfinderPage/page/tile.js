// A tile: a button with a small picture, a caption, and words over the picture while it is not live.

import { make } from './dom.js';

/** Makes a tile. `canvas` is where its pictures are drawn; a tile without one has only words. */
export function makeTile(canvas) {
  const words = make('span', { className: 'words' });
  const caption = make('span', { className: 'caption' });
  const button = make('button', { type: 'button', className: 'tile' }, canvas, words, caption);
  return { button, words, caption, item: make('li', {}, button), view: null };
}

/** A canvas for the pictures of a tile. The button says what it shows. */
export function makeTileCanvas() {
  return make('canvas', { 'aria-hidden': 'true', width: 16, height: 9 });
}

/**
 * Says what a tile shows.
 * - name: what the person calls it.
 * - notice: why it is not live, as { title, text }. Null while it is.
 * - action: what pressing it does, for screen readers, while it is live.
 * - isCurrent: whether it is the one that the person has chosen.
 */
export function describeTile({ button, words, caption, view }, { name, notice, action, isCurrent }) {
  caption.textContent = name;
  words.replaceChildren(...(notice ? [make('strong', {}, notice.title), make('span', {}, notice.text)] : []));
  button.classList.toggle('closed', !view);
  button.classList.toggle('frozen', Boolean(view && notice));
  button.setAttribute('aria-current', String(isCurrent));
  button.setAttribute('aria-label', notice ? `${name}: ${notice.title}` : `${name}: ${action}`);
}

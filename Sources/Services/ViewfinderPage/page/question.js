// A question to the person that has to be answered before something is done that cannot be undone.

import { make, makeButton } from './dom.js';

/** Asks a question, and returns whether the person presses the button `label`. Escape and the other button say no. */
export function asked(title, text, label) {
  // Each question has an element of its own: the close event of an earlier one may come when this one is open already.
  const earlier = document.getElementById('question');
  const dialog = earlier.cloneNode();
  earlier.replaceWith(dialog);
  dialog.append(
    make('h2', { id: 'question-title' }, title),
    make('p', {}, text),
    make('div', { className: 'actions' },
      makeButton('Keep it', () => dialog.close(), { autofocus: true }),
      makeButton(label, () => dialog.close('yes'), { className: 'danger' })));
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
    dialog.showModal();
  });
}

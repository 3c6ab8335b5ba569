// A question to the person that has to be answered before something is done that cannot be undone.

import { make, makeButton } from './dom.js';

/** Asks a question, and returns whether the person presses the button `label`. Escape and the other button say no. */
export function asked(title, text, label) {
  const dialog = document.getElementById('question');
  dialog.returnValue = '';
  dialog.replaceChildren(
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

// The buttons of the bar on top and of the bar at the bottom, and what they do. Keys do the same.

import { make, makeButton } from './dom.js';
import { say } from './messages.js';
import { chooseTheme, chosenTheme } from './theme.js';

const KEYS = [
  ['Space', 'Take a photo'],
  ['R', 'Record a movie, or end it'],
  ['←  →', 'Previous or next camera'],
  ['W', 'All cameras'],
  ['X', 'Swap the two first pictures of a composition'],
  ['F', 'Full screen'],
  ['I', 'Facts about the picture'],
  ['S', 'Settings'],
  ['P', 'Photos'],
  ['M', 'Movies'],
  ['+  −  0', 'Zoom in, zoom out, whole picture'],
  ['Esc', 'Close what is open'],
  ['?', 'This help'],
];

const THEMES = { dark: 'Dark', light: 'Light', system: 'As the system' };

/** Connects the buttons, and returns what they do as functions. */
export function makeTools({ state, stage, wall, overlay, panel }) {
  const button = (name) => document.getElementById(`${name}-button`);
  const tools = {
    wall: () => state.setLayout(state.layout === 'wall' ? 'one' : 'wall'),
    info: () => {
      overlay.toggle();
      button('info').setAttribute('aria-pressed', String(overlay.isShown));
    },
    full: toggleFullScreen,
    help: () => showHelp(),
    next: () => wall.step(1),
    previous: () => wall.step(-1),
    settings: () => panel.toggle(),
    photos: () => panel.toggle('photos'),
    movies: () => panel.toggle('movies'),
    back: () => {
      if (panel.isOpen) panel.close();
      else if (state.layout === 'wall' && state.selected) state.setLayout('one');
    },
  };
  for (const name of ['wall', 'info', 'full', 'help', 'next']) button(name).addEventListener('click', tools[name]);
  button('full').hidden = !document.fullscreenEnabled;
  document.addEventListener('fullscreenchange', () =>
    button('full').setAttribute('aria-pressed', String(Boolean(document.fullscreenElement))));
  const showLayout = () => button('wall').setAttribute('aria-pressed', String(state.layout === 'wall'));
  state.on('layout', showLayout);
  showLayout();
  addEventListener('zoomed', () => stage.sizeChanged());
  return tools;
}

async function toggleFullScreen() {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    say('The browser does not allow full screen here.');
  }
}

function showHelp() {
  const dialog = document.getElementById('help');
  if (dialog.open) return;
  const keys = KEYS.flatMap(([key, words]) =>
    [make('dt', {}, ...key.split('  ').map((each) => make('kbd', {}, each))), make('dd', {}, words)]);
  dialog.replaceChildren(
    make('h2', { id: 'help-title' }, 'Keys'),
    make('dl', {}, ...keys),
    make('h2', {}, 'Look'),
    themeChoice(),
    makeButton('Close', () => dialog.close(), { className: 'primary', autofocus: true }));
  dialog.showModal();
}

function themeChoice() {
  const buttons = Object.entries(THEMES).map(([theme, label]) => makeButton(label, () => {
    chooseTheme(theme);
    show();
  }, { value: theme }));
  const show = () => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.value === chosenTheme()));
  };
  show();
  return make('div', { className: 'choices', role: 'group', 'aria-label': 'Look' }, ...buttons);
}

// The card over the picture that says, in words, why there is no live picture, and the line beside the camera's name.

import { openSession, startSession } from './daemon.js';
import { sayingErrors } from './messages.js';
import { cameraName, inputNames, noticeWords, stateWords } from './sentences.js';

/** How long a session on demand may take to start before the page says that it is off. */
const START_MILLISECONDS = 1500;

export class Notice {
  constructor(element, state, stage) {
    Object.assign(this, { element, state, stage });
    this.title = element.querySelector('h2');
    this.text = element.querySelector('#notice-text');
    this.detail = element.querySelector('#notice-detail');
    this.actions = element.querySelector('div');
    this.shown = '';
    const kinds = ['connection', 'sessions', 'selected', 'picture', 'devices', 'layout', 'preview-status'];
    for (const kind of kinds) state.on(kind, () => this.show());
    this.show();
  }

  show() {
    const { state } = this;
    const [words, look] = stateWords(state);
    setText(document.getElementById('state-text'), words);
    document.documentElement.dataset.state = look;
    const { name } = this;
    setText(document.getElementById('camera-name'), name || 'Firstlight');
    document.title = name ? `${name} – Firstlight` : 'Firstlight';

    const isWall = state.layout === 'wall' && state.connection === 'live';
    const notice = isWall || this.isAboutToStart() ? null : noticeWords(state, this.stage.large);
    document.documentElement.toggleAttribute('data-frozen', Boolean(notice));
    this.element.hidden = !notice;
    const content = JSON.stringify([notice, notice?.action === 'open' ? [...state.devices.keys()] : []]);
    if (content === this.shown) return;
    this.shown = content;
    if (!notice) return;
    setText(this.title, notice.title);
    setText(this.text, notice.text);
    setText(this.detail, notice.detail ?? '');
    this.actions.replaceChildren(...this.buttons(notice.action));
    if (!notice.isBrief) {
      setText(document.getElementById('voice'), `${notice.title}. ${notice.text}`);
      state.settle();
    }
  }

  /** The name of the camera or composition that is large. Empty while there is no session. */
  get name() {
    const { session, knownDevices } = this.state;
    if (!session) return '';
    const large = this.stage.picture?.input.id;
    const names = inputNames(session, knownDevices);
    return names.size > 1 && large ? names.get(large) : cameraName(knownDevices.get(session.device), session);
  }

  /** Whether the session starts for this viewer in a moment. When it does not, the card says so a little later. */
  isAboutToStart() {
    const { session } = this.state;
    if (session?.state !== 'STOPPED' || !session.session.onDemand || session.error) {
      clearTimeout(this.timer);
      this.timer = undefined;
      return false;
    }
    if (this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.timer = null;
        this.show();
      }, START_MILLISECONDS);
    }
    return this.timer !== null;
  }

  buttons(action) {
    const { state } = this;
    if (action === 'start') return [button('Start the camera', () => this.start())];
    if (action !== 'open') return [];
    return [...state.devices.values()].map((device) =>
      button(`Open ${cameraName(device)}`, () => this.open(device.name)));
  }

  async start() {
    const session = await sayingErrors(() => startSession(this.state.selected));
    if (session) this.state.learn(session);
  }

  async open(device) {
    const session = await sayingErrors(() => openSession(device));
    if (session) this.state.opened(session, device);
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function button(label, press) {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  element.addEventListener('click', press);
  return element;
}

// The shutter. It looks as the daemon's readiness says, and takes the frame that is on the screen. Where the photos of
// the session show another camera or composition than the screen does, it takes the frame of that one of the same
// instant.

import { capturePhoto } from './daemon.js';
import { say } from './messages.js';
import { inputNames } from './sentences.js';

/** How the button looks for each hint of the daemon. */
const LOOKS = {
  ENABLE: 'ready',
  DISABLE_UNCHANGED: 'unchanged',
  DISABLE_DIMMED: 'dimmed',
  DISABLE_SPINNER: 'spinner',
};

const DESCRIPTIONS = {
  ready: 'Take a photo',
  unchanged: 'Take a photo',
  dimmed: 'Take a photo: not possible at the moment',
  spinner: 'Take a photo: the last photo is still being processed',
  off: 'Take a photo: the camera gives no pictures',
};

/** How the ids of this page's captures begin, and those of no other. */
const OWN = `page-${randomText()}-`;

export class Shutter {
  constructor(button, state, stage) {
    Object.assign(this, { button, state, stage });
    /** The PhotoSettings of the next photo, but for its id. */
    this.settings = {};
    /** The ids of the captures that this page has requested and that the daemon has not accepted. */
    this.requested = new Set();
    this.count = 0;
    this.look = 'off';
    button.addEventListener('click', () => this.press());
    const kinds = ['readiness', 'connection', 'sessions', 'layout', 'picture', 'preview-status'];
    for (const kind of kinds) state.on(kind, () => this.show());
    stage.onDrawn((view) => { if (view === stage.current && this.look === 'off') this.show(); });
    this.show();
  }

  /** Takes a photo of the frame that is on the screen, when the shutter is ready. */
  press() {
    const frame = this.stage.current?.picture.frame;
    if (this.look === 'ready' && frame) this.take(frame);
  }

  async take(frame) {
    const session = this.state.selected;
    this.count += 1;
    const uniqueId = `${OWN}${this.count}`;
    this.requested.add(uniqueId);
    this.show();
    this.flash();
    const onScreen = { viewfinderSequence: frame.sequence, viewfinderStreamId: frame.streamId };
    const moment = this.otherInput ? { shutterTime: frame.captureTime } : onScreen;
    const request = { session, settings: { ...this.settings, uniqueId }, ...moment };
    try {
      await capturePhoto(request);
    } catch (error) {
      say(error.message, { isError: true });
    } finally {
      this.requested.delete(uniqueId);
      this.show();
    }
  }

  show() {
    this.look = this.presentLook();
    this.button.dataset.look = this.look;
    this.button.setAttribute('aria-disabled', String(this.look !== 'ready'));
    const other = this.otherInput;
    const of = other ? ` of ${inputNames(this.state.session, this.state.knownDevices).get(other.id)}` : '';
    this.button.querySelector('.quiet').textContent = DESCRIPTIONS[this.look].replace('a photo', `a photo${of}`);
    this.button.title = other ? `Photo${of}` : '';
  }

  /** What photos show, where that is not what is on the screen. Undefined otherwise. */
  get otherInput() {
    const { session } = this.state;
    const seen = this.stage.current && session?.inputOf(this.stage.current.output);
    const taken = session?.inputOf(session.configuration?.photo?.id || 'photo');
    return seen && taken && seen !== taken ? taken : undefined;
  }

  presentLook() {
    const { state } = this;
    if (state.connection !== 'live' || !this.stage.current?.picture.frame) return 'off';
    const { hint = 'UNSPECIFIED', readiness } = state.session ?? {};
    if (readiness === 'SESSION_NOT_RUNNING') return 'off';
    const look = LOOKS[hint] ?? 'off';
    // Until the daemon counts a capture of this page into its readiness, the button takes no second touch.
    return look === 'ready' && this.requested.size > 0 ? 'unchanged' : look;
  }

  flash() {
    const flash = document.getElementById('flash');
    flash.classList.remove('fired');
    void flash.offsetWidth;
    flash.classList.add('fired');
  }
}

/** Whether this page has asked for a capture. */
export function isOwnCapture(uniqueId) {
  return uniqueId.startsWith(OWN);
}

/** A text that no other page has. crypto.randomUUID exists only for pages from localhost and by HTTPS. */
function randomText() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// The tab with the cameras, the format in which the one that is large streams, and how photos are taken.

import { configureSession, openSession, startSession, stopSession } from './daemon.js';
import { make, makeButton, makeSelect, row } from './dom.js';
import { formatChoices, rateChoices } from './formats.js';
import { sayingErrors } from './messages.js';
import { cameraName, inputNames, stateWords } from './sentences.js';

const ENCODINGS = { JPEG: 'JPEG', HEIC: 'HEIC', PNG: 'PNG' };
const FLASHES = { OFF: 'Off', ON: 'On', AUTO: 'Automatic' };
const QUALITIES = { SPEED: 'Speed', BALANCED: 'Balanced', QUALITY: 'Quality' };

export class CameraPanel {
  constructor(element, state, stage, shutter) {
    Object.assign(this, { element, state, stage, shutter });
    this.isShown = false;
    for (const kind of ['sessions', 'devices', 'picture']) state.on(kind, () => { if (this.isShown) this.build(); });
  }

  show() {
    this.isShown = true;
    this.built = '';
    this.build();
  }

  hide() {
    this.isShown = false;
  }

  /** Builds the tab anew when something in it is different, and keeps the focus. */
  build() {
    const { state } = this;
    const { session } = state;
    const cameras = state.cameras().map(({ session: its, device }) =>
      [its?.name, its?.state, device?.name, device?.unavailable?.message]);
    // The cameras of the session may become known one after the other, also while the tab is open.
    const names = session ? [...inputNames(session, state.knownDevices).values()] : [];
    const { camera } = this.stage;
    const shown = [state.selected, camera?.id, state.devices.has(camera?.device), session?.session?.etag, session?.state];
    const content = JSON.stringify([shown, names, cameras]);
    if (content === this.built) return;
    this.built = content;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.id : '';
    this.element.replaceChildren(
      make('h2', {}, 'Cameras'),
      make('div', { className: 'camera-list' }, ...state.cameras().map((camera) => this.cameraButton(camera))),
      ...(session ? this.sessionRows(session) : []));
    if (focused) document.getElementById(focused)?.focus();
  }

  sessionRows(session) {
    return [
      ...this.unseen(session),
      ...this.formatRows(session),
      ...this.photoRows(session),
      this.actions(session),
    ];
  }

  cameraButton({ device, session }) {
    const isSelected = Boolean(session) && session.name === this.state.selected;
    const words = session ? stateWords({ connection: 'live', session })[0] : 'Open';
    const about = device?.unavailable?.message ?? device?.location ?? session?.id ?? '';
    const button = makeButton('', () => this.choose(device, session), {
      id: `choose-${(session?.name ?? device.name).replace('/', '-')}`,
      'aria-pressed': String(isSelected),
    });
    const id = session && device ? `${session.id} · ${about}` : about;
    button.append(
      make('span', {}, cameraName(device, session), make('br'), make('small', {}, id)),
      make('span', { className: 'tag' }, words));
    return button;
  }

  async choose(device, session) {
    if (session) {
      this.state.select(session.name);
      return;
    }
    const opened = await sayingErrors(() => openSession(device.name));
    if (opened) this.state.opened(opened, device.name);
  }

  /** Says which cameras and compositions of a session the page cannot show. */
  unseen(session) {
    const seen = session.pictures.map(({ input }) => input);
    const names = inputNames(session, this.state.knownDevices);
    const unseen = session.pictureInputs.filter((input) => !seen.includes(input)).map(({ id }) => names.get(id));
    const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(unseen);
    return unseen.length ? [make('p', {}, `No preview of the session shows ${list}.`)] : [];
  }

  formatRows(session) {
    const { camera } = this.stage;
    const device = this.state.devices.get(camera?.device);
    const { format, frameRateOverride } = camera ?? {};
    if (!device || !format) return [];
    const formats = formatChoices(device, format);
    const place = session.pictureInputs.indexOf(camera);
    const isChosen = Boolean(session.session.configuration.inputs[place]?.format);
    const automatic = ['', isChosen ? 'Automatic' : `Automatic (${format.width} × ${format.height})`];
    const formatSelect = makeSelect('format', [automatic, ...formats.map(({ key, label }) => [key, label])],
      isChosen ? formats.find((each) => each.isPresent)?.key : '',
      (key) => {
        const chosen = formats.find((each) => each.key === key)?.format;
        this.commit(session, place, { format: chosen, frameRateOverride: undefined });
      });
    const rates = rateChoices(device, format, frameRateOverride);
    const rateSelect = makeSelect('rate', rates.map(({ key, label }) => [key, label]),
      rates.find((each) => each.isPresent)?.key,
      (key) => this.commit(session, place, { frameRateOverride: rates.find((each) => each.key === key).rate }));
    const names = inputNames(session, this.state.knownDevices);
    const title = names.size > 1 ? `Picture of ${names.get(camera.id)}` : 'Picture';
    return [make('h2', {}, title), row('Format', formatSelect), row('Frames per second', rateSelect)];
  }

  /** Commits changes of the input at a place of the configuration. */
  async commit(session, place, changes) {
    const { configuration, etag } = session.session;
    const inputs = configuration.inputs.map((input, index) => (index === place ? { ...input, ...changes } : input));
    const committed = await sayingErrors(() => configureSession(session.name, { ...configuration, inputs }, etag));
    if (committed) this.state.learn(committed);
    this.built = '';
    this.build();
  }

  photoRows(session) {
    const capabilities = session.photoCapabilities;
    if (!capabilities) return [];
    const { settings } = this.shutter;
    const highest = session.configuration?.photo?.maxQualityPrioritization ?? 'BALANCED';
    const names = Object.keys(QUALITIES);
    const encodings = capabilities.availableEncodings.filter((each) => ENCODINGS[each]);
    const qualities = names.slice(0, names.indexOf(highest) + 1);
    const flashes = capabilities.supportedFlashModes;
    const choice = (label, key, choices, words, preset) => row(label, makeSelect(
      `photo-${key}`, choices.map((each) => [each, words[each] ?? String(each)]), settings[key] ?? preset,
      (value) => { settings[key] = value; }));
    return [
      make('h2', {}, 'Photo'),
      choice('File', 'encoding', encodings, ENCODINGS, 'JPEG'),
      choice('Prefer', 'qualityPrioritization', qualities, QUALITIES, highest),
      ...(flashes.length > 1 ? [choice('Flash', 'flashMode', flashes, FLASHES, 'OFF')] : []),
    ];
  }

  actions(session) {
    const isOff = session.state === 'STOPPED';
    const change = async () => {
      const changed = await sayingErrors(() => (isOff ? startSession : stopSession)(session.name));
      if (changed) this.state.learn(changed);
    };
    return make('div', { className: 'actions' },
      makeButton(isOff ? 'Start the camera' : 'Stop the camera', change, { id: 'start-stop' }));
  }
}

// The tab with the controls of the camera that is large: what the device has, within the ranges that it gives.

import { ControlField } from './control-field.js';
import { getDevice, setControls } from './daemon.js';
import { make, makeButton } from './dom.js';
import { CallError } from './connect.js';
import { sayingErrors } from './messages.js';

/** How often controls are read again while one of them changes by itself, in milliseconds. */
const PERIOD = 3000;

export class ControlsPanel {
  constructor(element, state, stage) {
    Object.assign(this, { element, state, stage });
    this.isShown = false;
    this.fields = new Map();
    this.device = '';
    /** The settings that wait until the daemon has answered the last ones: of each control only the newest. */
    this.waiting = new Map();
    this.isSetting = false;
    state.on('picture', () => { if (this.isShown) this.read(); });
    state.on('sessions', () => { if (this.isShown && this.stage.camera?.device !== this.device) this.read(); });
    state.on('devices', () => { if (this.isShown && this.ids === null) this.read(); });
    setInterval(() => { if (this.isShown && this.changesByItself) this.read(); }, PERIOD);
  }

  show() {
    this.isShown = true;
    this.read();
  }

  hide() {
    this.isShown = false;
  }

  /** Reads the controls and their present values. */
  async read() {
    const name = this.stage.camera?.device;
    if (!name) {
      this.forget('', 'Open a camera to see its controls.');
      return;
    }
    if (name !== this.device) this.waiting.clear();
    const device = await sayingErrors(() => getDevice(name));
    if (this.stage.camera?.device !== name) return;
    if (!device) {
      this.forget(name, 'The controls of this camera cannot be read now.');
      return;
    }
    this.changesByItself = device.controls.some((control) => control.volatile);
    const ids = device.controls.map((control) => control.id).join();
    if (name !== this.device || ids !== this.ids) this.build(device);
    this.device = name;
    this.ids = ids;
    for (const control of device.controls) {
      if (!this.waiting.has(control.id)) this.fields.get(control.id).update(control);
    }
  }

  /** Shows words in place of controls. */
  forget(device, words) {
    Object.assign(this, { device, ids: null, changesByItself: false });
    this.fields.clear();
    this.element.replaceChildren(make('p', {}, words));
  }

  build(device) {
    this.fields = new Map(device.controls.map((control) =>
      [control.id, new ControlField(control, (value) => this.set(control.id, value))]));
    const reset = makeButton('Reset all controls', () => this.reset(device), { id: 'reset-controls' });
    const content = device.controls.length
      ? [...[...this.fields.values()].map((field) => field.element), make('div', { className: 'actions' }, reset)]
      : [make('p', {}, 'This camera has no controls.')];
    this.element.replaceChildren(make('h2', {}, device.label || device.displayName), ...content);
  }

  /** Sets a control. Undefined is its default. */
  set(id, value) {
    this.waiting.set(id, value);
    this.send();
  }

  reset(device) {
    for (const control of device.controls) {
      const isPlain = !control.readOnly && control.value && control.value.value !== 'array';
      if (isPlain && !this.fields.get(control.id).control.inactive) this.waiting.set(control.id, undefined);
    }
    this.send();
  }

  async send() {
    if (this.isSetting) return;
    this.isSetting = true;
    while (this.waiting.size > 0) {
      const settings = [...this.waiting].slice(0, 64).map(([control, value]) => ({ control, value }));
      for (const { control } of settings) this.waiting.delete(control);
      const { session } = this.state;
      const owner = session?.state === 'STOPPED' ? '' : session?.name;
      const results = await sayingErrors(() => setControls(this.device, owner, settings));
      for (const result of results ?? []) this.fields.get(result.control)?.remark(resultWords(result));
      if (this.waiting.size === 0) await this.read();
    }
    this.isSetting = false;
  }
}

/** What the person should know of a setting: [words, whether it failed]. */
function resultWords({ outcome, error }) {
  if (outcome === 'CLAMPED') return ['The camera took the nearest value that it has.', false];
  if (error) return [CallError.fromStatus(error).message, true];
  return ['', false];
}

// How loud the microphones of the large picture are: a bar for each channel.

import { make } from './dom.js';

/** The least level that has a bar, in decibels of full scale. */
const FLOOR = -60;

/** From this level of the loudest sample on, sound is almost cut off. */
const LOUD = -1;

/** How often the values for assistive technology change, in milliseconds. */
const PERIOD = 1000;

/** After this time without a reading a microphone does not run, in milliseconds. */
const SILENCE = 500;

export class SoundMeters {
  constructor(element, state, stage) {
    Object.assign(this, { element, state, stage });
    /** The meters of each input, by its id: one for each channel. */
    this.inputs = new Map();
    for (const kind of ['selected', 'layout', 'sessions', 'connection']) state.on(kind, () => this.review());
    state.on('levels', (levels) => this.show(levels));
  }

  /** Takes away the meters of inputs that are not there any more. */
  review() {
    const isShown = this.stage.showsSound && this.state.connection === 'live';
    const present = isShown ? this.state.session.microphones.map((input) => input.id) : [];
    for (const id of [...this.inputs.keys()]) if (!present.includes(id)) this.forget(id);
  }

  forget(id) {
    const { meters, timer } = this.inputs.get(id);
    clearTimeout(timer);
    for (const meter of meters) meter.element.remove();
    this.inputs.delete(id);
    this.element.hidden = this.inputs.size === 0;
  }

  show({ input: id, channelLevels }) {
    if (!this.stage.showsSound) return;
    if (this.inputs.has(id) && this.inputs.get(id).meters.length !== channelLevels.length) this.forget(id);
    if (!this.inputs.has(id)) this.add(id, channelLevels.length);
    const input = this.inputs.get(id);
    clearTimeout(input.timer);
    input.timer = setTimeout(() => { for (const meter of input.meters) meter.show(FLOOR, FLOOR); }, SILENCE);
    channelLevels.forEach((level, index) => input.meters[index].show(level.averageLevel, level.peakLevel));
  }

  add(id, count) {
    const meters = Array.from({ length: count }, (_, index) => new Meter(
      count > 1 ? `${id}, channel ${index + 1}` : id));
    this.inputs.set(id, { meters });
    this.element.append(...meters.map((meter) => meter.element));
    this.element.hidden = false;
  }
}

/** The meter of a channel. */
class Meter {
  constructor(label) {
    this.power = make('span', { className: 'power' });
    this.peak = make('span', { className: 'peak' });
    this.element = make('div', {
      role: 'meter', 'aria-label': label, 'aria-valuemin': FLOOR, 'aria-valuemax': 0, title: label,
    }, this.power, this.peak);
    this.told = -Infinity;
  }

  show(power, peak) {
    this.power.style.transform = `scaleX(${part(power)})`;
    this.peak.style.transform = `translateX(${100 * part(peak)}%)`;
    this.element.toggleAttribute('data-loud', peak > LOUD);
    const now = performance.now();
    if (now - this.told < PERIOD && power > FLOOR) return;
    this.told = now;
    const value = Math.round(Math.min(Math.max(power, FLOOR), 0));
    this.element.setAttribute('aria-valuenow', value);
    this.element.setAttribute('aria-valuetext', value > FLOOR ? `${value} decibels` : 'silent');
  }
}

/** Which part of the bar a level has, from 0 to 1. */
function part(level) {
  return Math.min(Math.max(1 - level / FLOOR, 0), 1);
}

// Facts over the picture: which frame it is, how old it was when it was drawn, and how many frames were lost.

import { make } from './dom.js';

/** How often the facts change, in milliseconds. A person cannot read faster. */
const PERIOD = 250;

/** The share of a new measurement in the averages. */
const SHARE = 0.3;

export class InfoOverlay {
  constructor(element, state, stage, clock) {
    Object.assign(this, { element, state, stage, clock });
    /** The average latency of the view that it was measured for. */
    this.latency = 0;
    this.measured = null;
    this.rates = { view: null, at: 0, drawn: 0, bytes: 0, perSecond: 0, bytesPerSecond: 0 };
    stage.onDrawn((view) => { if (view === stage.current && view.picture.frame) this.measure(view); });
    setInterval(() => { if (!element.hidden) this.show(); }, PERIOD);
  }

  get isShown() {
    return !this.element.hidden;
  }

  toggle() {
    this.element.hidden = !this.element.hidden;
    if (this.isShown) this.show();
  }

  measure(view) {
    const age = this.clock.age(view.picture.frame);
    if (age === undefined) return;
    this.latency = view === this.measured ? this.latency + (age - this.latency) * SHARE : age;
    this.measured = view;
  }

  show() {
    const view = this.stage.current;
    const frame = view?.picture.frame;
    if (!frame) {
      this.element.replaceChildren(make('dt', {}, 'Picture'), make('dd', {}, 'not live'));
      return;
    }
    this.countRates(view);
    const facts = [...this.pictureFacts(view, frame), ...lossFacts(view.lost)];
    this.element.replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  }

  pictureFacts(view, frame) {
    const { jpegQuality, everyNthFrame } = view.status ?? {};
    const quality = jpegQuality ? ` ${jpegQuality}` : '';
    return [
      ['Sequence', String(frame.sequence)],
      ['Stream', `…${String(frame.streamId).slice(-6)}`],
      ['Latency', this.clock.offset === undefined ? '…' : `${Math.max(0, Math.round(this.latency))} ms`],
      ['Rate', `${this.rates.perSecond.toFixed(1)} /s${everyNthFrame > 1 ? ` (1 of ${everyNthFrame})` : ''}`],
      ['Size', `${frame.width} × ${frame.height}`],
      ['Encoding', `${frame.encoding}${quality}`],
      ['Link', `${(this.rates.bytesPerSecond * 8 / 1e6).toFixed(1)} Mbit/s`],
    ];
  }

  countRates(view) {
    const now = performance.now();
    const { rates } = this;
    if (rates.view !== view) {
      this.rates = { view, at: now, drawn: view.drawn, bytes: view.bytes, perSecond: 0, bytesPerSecond: 0 };
      return;
    }
    const seconds = (now - rates.at) / 1000;
    if (seconds < 1) return;
    rates.perSecond = (view.drawn - rates.drawn) / seconds;
    rates.bytesPerSecond = (view.bytes - rates.bytes) / seconds;
    Object.assign(rates, { at: now, drawn: view.drawn, bytes: view.bytes });
  }
}

/** The frames that this viewer did not get since it began, by cause. */
function lossFacts(lost) {
  return [
    ['Late', String(lost.late)],
    ['No memory', String(lost.outOfBuffers)],
    ['Gaps', String(lost.discontinuity)],
    ['Damaged', String(lost.damaged)],
  ];
}

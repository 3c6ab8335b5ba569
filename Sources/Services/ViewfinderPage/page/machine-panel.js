// The tab about the machine: its pressure now and over the last 24 hours, what the session does about it, and how the
// session was launched.

import { getLaunchTimeline, getPressureHistory, getServerInfo } from './daemon.js';
import { make } from './dom.js';
import { launchChart } from './launch-chart.js';
import { sayingErrors } from './messages.js';
import { pressureChart } from './pressure-chart.js';
import { pressureWords, stepWords } from './sentences.js';

/** How often the history is read, in milliseconds: it has a point for each minute. */
const PERIOD = 60_000;

/** As many points as the chart has pixels. */
const POINTS = 288;

export class MachinePanel {
  constructor(element, state) {
    Object.assign(this, { element, state });
    this.isShown = false;
    this.pressure = make('p', { role: 'status' });
    this.history = make('figure');
    this.steps = make('ul', { className: 'plain' });
    this.launch = make('figure');
    this.daemon = make('p');
    element.append(
      make('h2', {}, 'Pressure'), this.pressure, this.steps,
      make('h2', {}, 'The last 24 hours'), this.history,
      make('h2', {}, 'Launch of the session'), this.launch,
      make('h2', {}, 'Daemon'), this.daemon);
    state.on('pressure', () => this.showPressure());
    state.on('sessions', () => { if (this.isShown) this.showSession(); });
    state.on('selected', () => { if (this.isShown) this.showSession(); });
    setInterval(() => { if (this.isShown) this.readHistory(); }, PERIOD);
    this.showPressure();
  }

  async show() {
    this.isShown = true;
    this.showSession();
    await this.readHistory();
    const info = await sayingErrors(getServerInfo);
    if (info) this.daemon.textContent = `firstlightd ${info.serverInfo.version}`;
  }

  hide() {
    this.isShown = false;
  }

  showPressure() {
    const words = pressureWords(this.state.pressure);
    if (this.pressure.textContent !== words) this.pressure.textContent = words;
  }

  async readHistory() {
    const points = await sayingErrors(() => getPressureHistory(POINTS));
    if (points) this.history.replaceChildren(...pressureChart(points));
  }

  async showSession() {
    const { session } = this.state;
    this.steps.replaceChildren(...(session?.adaptationSteps ?? []).map((step) => make('li', {}, stepWords(step))));
    if (!session) {
      this.launch.replaceChildren(make('p', {}, 'No camera is open.'));
      return;
    }
    if (!session.launch) {
      session.launch = await sayingErrors(() => getLaunchTimeline(session.name)) ?? null;
      if (session !== this.state.session) return;
    }
    if (session.launch) this.launch.replaceChildren(...launchChart(session.launch));
  }
}

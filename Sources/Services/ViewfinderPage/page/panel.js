// The sheet with the tabs: camera, controls, photos, movies, machine. Each tab has a part with `show` and `hide`.

const TABS = ['camera', 'controls', 'photos', 'movies', 'machine'];

export class Panel {
  constructor(element) {
    this.element = element;
    this.parts = new Map();
    this.tabs = new Map(TABS.map((name) => [name, document.getElementById(`tab-${name}`)]));
    this.chosen = 'camera';
    for (const [name, tab] of this.tabs) {
      tab.addEventListener('click', () => this.choose(name));
      tab.addEventListener('keydown', (event) => this.keyDown(event));
    }
    document.getElementById('panel-close').addEventListener('click', () => this.close());
    document.getElementById('panel-button').addEventListener('click', () => this.toggle());
    document.getElementById('well').addEventListener('click', () => this.toggle('photos'));
  }

  add(name, part) {
    this.parts.set(name, part);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Opens the sheet, or closes it when it shows the named tab already. */
  toggle(name = this.chosen) {
    if (this.isOpen && name === this.chosen) this.close();
    else this.open(name);
  }

  open(name) {
    if (!this.isOpen) this.opener = document.activeElement;
    this.element.hidden = false;
    document.documentElement.dataset.panel = 'open';
    this.tellButton();
    this.choose(name);
    this.tabs.get(name).focus();
  }

  close() {
    if (!this.isOpen) return;
    this.parts.get(this.chosen).hide();
    this.element.hidden = true;
    delete document.documentElement.dataset.panel;
    this.tellButton();
    (this.opener?.isConnected ? this.opener : document.getElementById('panel-button')).focus();
  }

  choose(name) {
    if (name !== this.chosen) this.parts.get(this.chosen).hide();
    this.chosen = name;
    for (const [each, tab] of this.tabs) {
      tab.setAttribute('aria-selected', String(each === name));
      tab.tabIndex = each === name ? 0 : -1;
      document.getElementById(`page-${each}`).hidden = each !== name;
    }
    this.parts.get(name).show();
  }

  keyDown(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -TABS.length, End: TABS.length };
    const distance = steps[event.key];
    if (distance === undefined) return;
    const place = TABS.indexOf(this.chosen);
    const last = TABS.length - 1;
    const next = Math.abs(distance) === 1 ? (place + distance + TABS.length) % TABS.length : (distance < 0 ? 0 : last);
    event.preventDefault();
    event.stopPropagation();
    this.choose(TABS[next]);
    this.tabs.get(TABS[next]).focus();
  }

  tellButton() {
    document.getElementById('panel-button').setAttribute('aria-expanded', String(this.isOpen));
  }
}

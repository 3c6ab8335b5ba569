// Zooms into the picture: by wheel, pinch, double-click and keys. A zoomed picture can be dragged.

const MOST = 8;
const DOUBLE_CLICK = 2.5;
const SHOWN_MILLISECONDS = 1200;

export class Zoom {
  constructor(canvas, state) {
    this.canvas = canvas;
    this.level = document.getElementById('zoom-level');
    Object.assign(this, { scale: 1, x: 0, y: 0 });
    /** The places of the fingers or of the mouse with its button held, by pointer. */
    this.pointers = new Map();
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('dblclick', (event) => {
      this.zoomAt(this.scale > 1 ? 1 : DOUBLE_CLICK, ...this.place(event));
    });
    canvas.addEventListener('pointerdown', (event) => this.pointerDown(event));
    canvas.addEventListener('pointermove', (event) => this.pointerMove(event));
    for (const kind of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(kind, (event) => this.pointers.delete(event.pointerId));
    }
    addEventListener('resize', () => this.apply());
    state.on('picture', () => this.reset());
  }

  /** Zooms about the middle by a factor. */
  by(factor) {
    const { clientWidth, clientHeight } = this.canvas;
    this.zoomAt(this.scale * factor, clientWidth / 2, clientHeight / 2);
  }

  reset() {
    if (this.scale !== 1) this.zoomAt(1, 0, 0);
  }

  wheel(event) {
    event.preventDefault();
    const [x, y] = this.place(event);
    this.zoomAt(this.scale * Math.exp(-event.deltaY / 400), x, y);
  }

  /** Zooms so that the point at x, y of the window stays where it is. */
  zoomAt(scale, x, y) {
    const next = Math.min(MOST, Math.max(1, scale));
    this.x = x - ((x - this.x) * next) / this.scale;
    this.y = y - ((y - this.y) * next) / this.scale;
    this.scale = next;
    this.apply();
    this.tell();
  }

  pointerDown(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.place(event));
  }

  pointerMove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) {
      const distance = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]) || 1;
      this.zoomAt((this.scale * distance(now)) / distance(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else if (this.scale > 1) {
      this.x += now[0] - before[0];
      this.y += now[1] - before[1];
      this.apply();
    }
  }

  /** The place of an event in the part of the window that the picture has. */
  place(event) {
    const box = this.canvas.parentElement.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  apply() {
    const { clientWidth, clientHeight, style } = this.canvas;
    this.x = Math.min(0, Math.max(clientWidth * (1 - this.scale), this.x));
    this.y = Math.min(0, Math.max(clientHeight * (1 - this.scale), this.y));
    style.transform = this.scale === 1 ? '' : `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    style.cursor = this.scale === 1 ? '' : 'grab';
    dispatchEvent(new Event('zoomed'));
  }

  tell() {
    this.level.textContent = `${this.scale.toFixed(1)} ×`;
    this.level.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.level.hidden = true; }, SHOWN_MILLISECONDS);
  }
}

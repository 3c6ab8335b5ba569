// Lets all but the shutter and the photos step aside while the person only looks.

const IDLE_MILLISECONDS = 4000;

/** Marks the page as idle when nobody touches anything. Only where a pointer can hover, to bring it all back. */
export function stepAsideWhenIdle() {
  if (!matchMedia('(hover: hover)').matches) return;
  const { documentElement: root } = document;
  let timer;
  const wake = () => {
    root.removeAttribute('data-idle');
    clearTimeout(timer);
    timer = setTimeout(() => root.setAttribute('data-idle', ''), IDLE_MILLISECONDS);
  };
  for (const kind of ['pointermove', 'pointerdown', 'keydown', 'focusin']) {
    addEventListener(kind, wake, { passive: true });
  }
  wake();
}

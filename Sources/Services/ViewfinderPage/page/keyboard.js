// The keys of the page. Fields, sliders, tabs and buttons keep the keys that are theirs.

/** Listens to keys. */
export function listenToKeys({ shutter, record, swap, tools, zoom }) {
  const actions = {
    ' ': () => shutter.press(),
    Enter: () => shutter.press(),
    ArrowRight: tools.next,
    ArrowLeft: tools.previous,
    Escape: tools.back,
    w: tools.wall,
    f: tools.full,
    i: tools.info,
    s: tools.settings,
    p: tools.photos,
    m: tools.movies,
    r: () => record.press(),
    x: () => swap.press(),
    '?': tools.help,
    '+': () => zoom.by(1.5),
    '=': () => zoom.by(1.5),
    '-': () => zoom.by(1 / 1.5),
    0: () => zoom.reset(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action || isOwnKey(event.target, event.key)) return;
    event.preventDefault();
    action();
  });
}

/** Whether a key has a meaning of its own for the element that has the focus. */
function isOwnKey(target, key) {
  if (document.querySelector('dialog[open]')) return true;
  if (key === 'Escape') return false;
  if (target.matches('input, select, textarea')) return true;
  const isPress = key === ' ' || key === 'Enter';
  return isPress && target.matches('button, a[href], [role="tab"]');
}

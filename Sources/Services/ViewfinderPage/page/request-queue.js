// Sends the page's requests one after the other.
//
// A browser opens six connections to a host, for all tabs together. Each tab holds one of them for its stream, and a
// movie that plays, or is paused, holds another one, so only one tab has a player. All other requests are short, and a
// tab sends one of them at a time. Two kinds of requests do not wait in this queue, and are sent one at a time too:
// acknowledgements, for which pictures would wait, and captures, whose frame would leave the daemon's ring.

let last = Promise.resolve();
let lastDownload = Promise.resolve();
const keys = new Set();

/** Runs `work` when the work queued before is done, and returns its result. */
export function inTurn(work) {
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

/** Runs `work` in its turn, unless work with the same key waits already, which will do just as well. */
export function onceInTurn(key, work) {
  if (keys.has(key)) return Promise.resolve();
  keys.add(key);
  return inTurn(() => {
    keys.delete(key);
    return work();
  });
}

/** Runs a download when no other tab of this page runs one, so that a connection stays free for short requests. */
export function asOnlyDownload(work) {
  // Browsers have locks for pages from localhost and by HTTPS only.
  if (navigator.locks) return navigator.locks.request('firstlight-download', work);
  const turn = lastDownload.then(work);
  lastDownload = turn.catch(() => {});
  return turn;
}

/**
 * Takes the place of the only player of all tabs of this page. `lost` is called when another tab takes it. Returns a
 * function that gives the place up.
 */
export function asOnlyPlayer(lost) {
  // Without locks, tabs know nothing of one another.
  if (!navigator.locks) return () => {};
  let isOver = false;
  let end;
  const played = new Promise((resolve) => { end = resolve; });
  navigator.locks.request('firstlight-player', { steal: true }, () => played).catch(() => { if (!isOver) lost(); });
  return () => {
    isOver = true;
    end();
  };
}

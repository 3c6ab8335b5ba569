// Sends the page's requests one after the other.
//
// A browser opens six connections to a host, for all tabs together. Each tab holds one of them for its stream, so all
// other requests are short, and a tab sends one of them at a time. Acknowledgements are not in this queue, because
// pictures would wait for them; viewfinder-stream.js sends them, one at a time too.

let last = Promise.resolve();
const waiting = new Set();

/** Runs `work` when the work queued before is done, and returns its result. */
export function inTurn(work) {
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

/** Runs `work` unless work with the same key waits already, which will do just as well. */
export function onceInTurn(key, work) {
  if (waiting.has(key)) return Promise.resolve();
  waiting.add(key);
  return inTurn(() => {
    waiting.delete(key);
    return work();
  });
}

/** Runs a download when no other tab of this page runs one, so that a connection stays free for short requests. */
export function asOnlyDownload(work) {
  // Browsers have locks for pages from localhost and by HTTPS only.
  return navigator.locks ? navigator.locks.request('firstlight-download', work) : inDownloadTurn(work);
}

let lastDownload = Promise.resolve();

function inDownloadTurn(work) {
  const turn = lastDownload.then(work);
  lastDownload = turn.catch(() => {});
  return turn;
}

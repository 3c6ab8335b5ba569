// Sends the page's requests one after the other.
//
// A browser opens six connections to a host, for all tabs together. Each tab holds one of them for its stream, so all
// other requests are short, and a tab sends one of them at a time. Acknowledgements are not in this queue, because
// pictures would wait for them; viewfinder-stream.js sends them, one at a time too.

const queue = [];
const keys = new Set();
let isWorking = false;

/** Runs `work` when the work queued before is done, and returns its result. */
export function inTurn(work) {
  return add(work, (each) => queue.push(each));
}

/** Runs `work` before all work that waits. A photo must not wait until its frame has left the daemon's ring. */
export function asNext(work) {
  return add(work, (each) => queue.unshift(each));
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

let lastDownload = Promise.resolve();

function add(work, enqueue) {
  return new Promise((resolve, reject) => {
    enqueue(() => work().then(resolve, reject));
    if (!isWorking) run();
  });
}

async function run() {
  isWorking = true;
  while (queue.length > 0) await queue.shift()();
  isWorking = false;
}

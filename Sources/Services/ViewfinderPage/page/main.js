// The page launches in two phases: first the picture and the shutter, then everything else. Until the first picture is
// on the screen, or a sentence that says why there is none, the page loads nothing more.

import { applyTheme } from './theme.js';
import { Notice } from './notice.js';
import { PageState } from './page-state.js';
import { publishState } from './published-state.js';
import { say } from './messages.js';
import { Shutter } from './shutter.js';
import { Stage } from './stage.js';
import { ViewfinderStream } from './viewfinder-stream.js';

applyTheme();

const state = new PageState(new URLSearchParams(location.search));
const viewfinder = new ViewfinderStream({
  prepare: () => {
    stage.forgetErrors();
    return state.refreshSessions();
  },
  contents: () => stage.contents(),
  receive: (message, consumed) => receive(message, consumed),
  stateChanged: (connection) => state.setConnection(connection),
});
const stage = new Stage(state, () => viewfinder.contentsChanged());
const shutter = new Shutter(document.getElementById('shutter'), state, stage);
const notice = new Notice(document.getElementById('notice'), state, stage);
publishState(state, stage, shutter);

function receive(message, consumed) {
  if (message.content === 'preview') {
    stage.receive(message.preview, consumed);
    return;
  }
  consumed();
  if (message.content === 'ended') stage.partEnded(message.ended) || state.partEnded(message.ended);
  else state.apply(message);
}

state.on('stale', () => viewfinder.reconnect());
state.on('settled', async () => {
  try {
    const { startEverythingElse } = await import('./everything-else.js');
    startEverythingElse({ state, stage, shutter, notice, viewfinder });
  } catch (error) {
    say(`A part of the page could not be loaded: ${error.message}`, { isError: true });
  }
}, { once: true });

viewfinder.run();

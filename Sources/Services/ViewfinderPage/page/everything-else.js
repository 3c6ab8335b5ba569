// The second phase of the launch: all that the picture and the shutter do not need.

import { CameraPanel } from './camera-panel.js';
import { DaemonClock } from './daemon-clock.js';
import { ControlsPanel } from './controls-panel.js';
import { PhotosPanel } from './photos-panel.js';
import { InfoOverlay } from './info-overlay.js';
import { listenToKeys } from './keyboard.js';
import { LayerSwap } from './layer-swap.js';
import { MachinePanel } from './machine-panel.js';
import { Panel } from './panel.js';
import { sayingErrors } from './messages.js';
import { MoviesPanel } from './movies-panel.js';
import { RecordButton } from './record-button.js';
import { RecordingWatch } from './recording-watch.js';
import { SmallPictures } from './small-pictures.js';
import { SoundMeters } from './sound-meters.js';
import { stepAsideWhenIdle } from './idle.js';
import { makeTools } from './tools.js';
import { Wall } from './wall.js';
import { Zoom } from './zoom.js';

/** How often the page looks for sessions that other clients have opened or closed, in milliseconds. */
const LOOK = 10_000;

/** Starts everything else. */
export function startEverythingElse({ state, stage, shutter, viewfinder }) {
  stage.roundTrip = () => (Number.isFinite(viewfinder.roundTrip) ? viewfinder.roundTrip : 0);
  const zoom = new Zoom(stage.canvas, state);
  const wall = new Wall(document.getElementById('wall'), state, stage);
  new SmallPictures(document.getElementById('small-pictures'), state, stage);
  const swap = new LayerSwap(document.getElementById('swap-button'), state, stage);
  const overlay = new InfoOverlay(document.getElementById('overlay'), state, stage, new DaemonClock(state));
  const panel = new Panel(document.getElementById('panel'));
  panel.add('camera', new CameraPanel(document.getElementById('page-camera'), state, stage, shutter));
  panel.add('controls', new ControlsPanel(document.getElementById('page-controls'), state, stage));
  panel.add('photos', new PhotosPanel(document.getElementById('page-photos'), state));
  panel.add('movies', new MoviesPanel(document.getElementById('page-movies'), state));
  panel.add('machine', new MachinePanel(document.getElementById('page-machine'), state));
  const record = new RecordButton(state, new RecordingWatch(state));
  new SoundMeters(document.getElementById('sound'), state, stage);
  const tools = makeTools({ state, stage, wall, overlay, panel });
  listenToKeys({ shutter, record, swap, tools, zoom });
  stepAsideWhenIdle();
  state.isComplete = true;

  const look = () => { if (state.connection === 'live') sayingErrors(() => state.refreshSessions()); };
  setInterval(look, LOOK);
  state.on('devices', ({ kind }) => { if (kind === 'DISCONNECTED') look(); });
}

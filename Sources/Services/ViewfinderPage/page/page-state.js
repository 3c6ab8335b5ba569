// What the page knows of sessions, cameras and the machine, and what the person has chosen. Parts of the page listen
// for changes: 'connection', 'sessions', 'devices', 'selected', 'picture' when another one is large, 'layout',
// 'pressure', 'capture', 'readiness', 'levels' of a microphone, 'preview-status' of a view, 'recording',
// 'recording-told' with what the daemon tells of a recording, 'stale' when the stream has to begin anew, and once
// 'settled'.

import { CallError } from './connect.js';
import { getSession, listSessions, openSession } from './daemon.js';
import { SessionState } from './session-state.js';
import { say, sayingErrors } from './messages.js';
import { cameraName } from './sentences.js';

const DEFAULT_SESSION = 'sessions/default';

/** The most sessions that a stream of the viewfinder carries. */
const MAXIMUM_SESSIONS = 16;

/** Why a part of the stream may end without a word to the person: other words or the end of the stream follow. */
const QUIET_ENDS = new Set(['EVENTS_LOST', 'OUTPUT_NOT_FOUND', 'OUTPUT_REMOVED', 'SHUTTING_DOWN']);

export class PageState extends EventTarget {
  constructor(parameters) {
    super();
    /** The session that the page's address names. Empty: none. */
    this.wanted = parameters.has('session') ? `sessions/${parameters.get('session')}` : '';
    /** Which encoding the large picture has: auto, jpeg or h264. */
    this.codec = parameters.get('codec') ?? 'auto';
    /** 'connecting', 'live', 'waiting' for the daemon, or 'hidden'. */
    this.connection = 'connecting';
    /** The sessions by resource name, as SessionState. */
    this.sessions = new Map();
    /** The cameras that are present, by resource name. */
    this.devices = new Map();
    /** The cameras that are or were present, by resource name. */
    this.knownDevices = new Map();
    /** The resource name of the session that the page is about. Empty while there is none. */
    this.selected = '';
    /** 'one' camera, or a 'wall' of all cameras. */
    this.layout = parameters.get('view') === 'wall' ? 'wall' : 'one';
    this.pressure = null;
    /** The recording of the selected session that is under way. RecordingWatch keeps it here. */
    this.recording = null;
    /** The cameras of the sessions that this page has opened, by session. */
    this.devicesOfOwn = new Map();
    /** The latest photos, the newest first. The image well keeps them here. */
    this.photos = [];
    /** Whether the first picture was drawn, or a sentence says why there is none. */
    this.isSettled = false;
    /** Whether the second phase of the launch is over. */
    this.isComplete = false;
  }

  on(kind, listener, options) {
    this.addEventListener(kind, (event) => listener(event.detail), options);
  }

  tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  /** The selected session. Undefined while there is none. */
  get session() {
    return this.sessions.get(this.selected);
  }

  /** The resource names of the sessions whose events the stream should carry. The first phase needs only one. */
  get watchedSessions() {
    // A session that this page has opened and does not show is left to expire.
    const isOther = (name) => name !== this.selected && (this.layout === 'wall' || !this.devicesOfOwn.has(name));
    const others = this.isSettled ? [...this.sessions.keys()].filter(isOther) : [];
    return [...(this.selected ? [this.selected] : []), ...others.sort()].slice(0, MAXIMUM_SESSIONS).sort();
  }

  setConnection(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    this.tell('connection');
    if (connection === 'waiting' || (connection === 'live' && this.layout === 'wall')) this.settle();
  }

  /** Reads the list of sessions, and selects one where none is selected. */
  async refreshSessions() {
    const listed = await listSessions();
    const own = this.devicesOfOwn.get(this.selected);
    if (own && !listed.some((session) => session.name === this.selected)) listed.push(await this.openAgain(own));
    const present = new Set(listed.map((session) => session.name));
    for (const name of this.sessions.keys()) if (!present.has(name)) this.sessions.delete(name);
    for (const session of listed) this.know(session);
    if (!this.sessions.has(this.selected)) this.select(this.preferredSession());
    this.tell('sessions');
    if (!this.selected) this.settle();
  }

  /** Opens a camera that this page had opened, and whose session is gone because the page was hidden for long. */
  async openAgain(device) {
    this.devicesOfOwn.delete(this.selected);
    const session = await openSession(device);
    this.devicesOfOwn.set(session.name, device);
    this.wanted = session.name;
    return session;
  }

  preferredSession() {
    if (this.sessions.has(this.wanted)) return this.wanted;
    if (this.wanted) say(`There is no session ${this.wanted.slice('sessions/'.length)}.`, { isError: true });
    if (this.sessions.has(DEFAULT_SESSION)) return DEFAULT_SESSION;
    const all = [...this.sessions.values()];
    return (all.find((each) => each.isRunning) ?? all[0])?.name ?? '';
  }

  /** Takes over what a response says of a session. */
  know(session) {
    const known = this.sessions.get(session.name) ?? new SessionState(session.name);
    if (known.update(session)) this.tell('stale');
    this.sessions.set(session.name, known);
  }

  /** All cameras and sessions, sorted by name: { device, session }, one of which may be missing. */
  cameras() {
    const free = new Map(this.devices);
    const all = [...this.sessions.values()].map((session) => {
      for (const { device } of session.pictureInputs) free.delete(device);
      return { session, device: this.knownDevices.get(session.device) };
    });
    all.push(...[...free.values()].map((device) => ({ device })));
    const key = ({ device, session }) => `${cameraName(device, session)} ${session?.name ?? device.name}`;
    return all.sort((a, b) => key(a).localeCompare(key(b), undefined, { numeric: true }));
  }

  /** Takes over a session that this page has opened for a camera. */
  opened(session, device) {
    this.devicesOfOwn.set(session.name, device);
    this.learn(session);
    this.select(session.name);
  }

  /** Takes over the session that a call returned, and tells about it. */
  learn(session) {
    this.know(session);
    this.tell('sessions');
  }

  select(name) {
    if (name === this.selected) return;
    this.selected = name;
    this.tell('selected');
    this.tell('readiness');
  }

  setLayout(layout) {
    if (layout === this.layout) return;
    this.layout = layout;
    this.tell('layout');
  }

  /** Begins the second phase of the launch. */
  settle() {
    if (this.isSettled) return;
    this.isSettled = true;
    this.tell('settled');
  }

  /** Takes over a message of the stream. */
  apply(message) {
    if (message.content === 'session') this.applySession(message.session);
    else if (message.content === 'device') this.applyDevice(message.device.event);
    else if (message.content === 'pressure') {
      this.pressure = message.pressure.state;
      this.tell('pressure');
    }
  }

  applySession({ session: name, message, sessionEvent, captureEvent, readinessEvent, audioLevelsEvent }) {
    const session = this.sessions.get(name);
    if (!session) return;
    if (message === 'sessionEvent') {
      const { mustRead, isStale } = session.apply(sessionEvent.event);
      if (mustRead) this.readAgain(name);
      if (isStale) this.tell('stale');
      this.tell('sessions');
    } else if (message === 'readinessEvent') {
      [session.readiness, session.hint] = [readinessEvent.readiness, readinessEvent.hint];
      if (name === this.selected) this.tell('readiness');
    } else if (message === 'captureEvent') this.tell('capture', { session: name, event: captureEvent.event });
    else if (name === this.selected) this.tell('levels', audioLevelsEvent.audioLevels);
  }

  applyDevice({ kind, device }) {
    if (device.mediaType === 'AUDIO') return;
    this.knownDevices.set(device.name, device);
    if (kind === 'DISCONNECTED') this.devices.delete(device.name);
    else this.devices.set(device.name, device);
    this.tell('devices', { kind, device });
  }

  /** Takes over that a part of the stream has ended. */
  partEnded(ending) {
    const error = CallError.fromStatus(ending.error);
    if (error.reason === 'EVENTS_LOST') this.tell('stale');
    if (ending.part !== 'session') return;
    const session = this.sessions.get(ending.session);
    if (error.reason === 'SESSION_NOT_FOUND') {
      this.sessions.delete(ending.session);
      // Somebody has closed the session, so the page must not open it again.
      this.devicesOfOwn.delete(ending.session);
      if (ending.session === this.selected) say('The session was closed.');
      sayingErrors(() => this.refreshSessions()).then(() => {
        // Another session has taken the name.
        if (this.sessions.has(ending.session)) this.tell('stale');
      });
    } else if (session && !QUIET_ENDS.has(error.reason)) {
      say(error.message, { isError: true });
    }
  }

  async readAgain(name) {
    const session = await getSession(name).catch(() => null);
    if (session) this.learn(session);
  }
}

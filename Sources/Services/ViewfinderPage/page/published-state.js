// A read-only view of the page's state as `window.firstlight`, for tests and for curious people in the console.

/** Publishes the state. */
export function publishState(state, stage, shutter) {
  let firstPictureTime;
  stage.onDrawn(() => { firstPictureTime ??= performance.now(); });
  const views = () => stage.views.map((view) => ({
    session: view.session,
    output: view.output ?? '',
    drawn: view.drawn,
    encoding: view.picture.frame?.encoding ?? '',
    sequence: String(view.picture.frame?.sequence ?? ''),
    streamId: String(view.picture.frame?.streamId ?? ''),
    captureMilliseconds: milliseconds(view.picture.frame?.captureTime),
  }));
  const description = {
    connection: { get: () => state.connection },
    session: { get: () => state.selected },
    sessions: { get: () => [...state.sessions.keys()] },
    devices: { get: () => [...state.devices.keys()] },
    layout: { get: () => state.layout },
    firstPictureTime: { get: () => firstPictureTime },
    isComplete: { get: () => state.isComplete },
    isSettled: { get: () => state.isSettled },
    look: { get: () => shutter.look },
    views: { get: views },
    current: { get: () => views().find((view) => view.session === state.selected) ?? null },
    photos: {
      get: () => state.photos.map(({ name, url, asset }) => ({ capture: name, isLoaded: url !== '', asset })),
    },
    recording: { get: () => state.recording && { name: state.recording.name, state: state.recording.state } },
    sessionState: { get: () => state.session?.state ?? '' },
  };
  Object.defineProperty(window, 'firstlight', { value: Object.freeze(Object.create(null, description)) });
}

function milliseconds(time) {
  return time ? Number(time.seconds) * 1000 + time.nanos / 1e6 : undefined;
}

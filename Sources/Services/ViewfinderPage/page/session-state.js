// What the page knows of one session.

/** Events that name the input to which they happen. */
const INPUT_EVENTS = ['wasInterrupted', 'interruptionEnded', 'runtimeError'];

export class SessionState {
  constructor(name) {
    this.name = name;
    /** The newest Session that the daemon sent. */
    this.session = null;
    this.state = 'UNSPECIFIED';
    this.interruption = 'UNSPECIFIED';
    /** The error that interrupted or stopped the session. */
    this.error = null;
    /** Whether a commit that takes long is under way. */
    this.isReconfiguring = false;
    this.readiness = 'UNSPECIFIED';
    this.hint = 'UNSPECIFIED';
    /** The newest LaunchTimeline. */
    this.launch = null;
    /** The steps of the ladder that are in force. */
    this.adaptationSteps = [];
    /** What each input does, as InputStatus, by the id of the input. */
    this.inputStatus = new Map();
  }

  /** The id for people. */
  get id() {
    return this.name.slice('sessions/'.length);
  }

  get isRunning() {
    return this.state === 'RUNNING';
  }

  /** The resolved configuration, or the one that was asked for while there is none. */
  get configuration() {
    const { resolvedConfiguration, configuration } = this.session ?? {};
    return resolvedConfiguration?.inputs.length ? resolvedConfiguration : configuration;
  }

  /** The resource name of the first camera. Empty for a session without one. */
  get device() {
    return this.configuration?.inputs[0]?.device ?? '';
  }

  /** The cameras and compositions: the inputs that are no microphones. */
  get pictureInputs() {
    return this.configuration?.inputs.filter(({ audioFormat }) => !audioFormat) ?? [];
  }

  /** The id of the main preview. */
  get mainPreview() {
    return this.configuration?.preview?.id || 'preview';
  }

  /** For each camera and composition that a preview shows, the id of that preview and the input. The main one leads. */
  get pictures() {
    const { preview, additionalPreviews = [] } = this.configuration ?? {};
    const outputs = [...(preview ? [this.mainPreview] : []), ...additionalPreviews.map(({ id }) => id)];
    const all = outputs.map((output) => ({ output, input: this.inputOf(output) }));
    return all.filter(({ input }, place) => input && all.findIndex((each) => each.input === input) === place);
  }

  /** The camera or composition whose pictures an output gets. Undefined when it gets none. */
  inputOf(output = this.mainPreview) {
    const { connections = [] } = this.configuration ?? {};
    const named = connections.filter((each) => each.output === output && each.enabled !== false);
    // Without connections, every output gets the pictures of the first camera.
    const takes = ({ id }, place) => (connections.length ? named.some(({ input }) => input === id) : place === 0);
    return this.pictureInputs.find(takes);
  }

  /** The input that the main preview shows, or the first one that any preview shows, or else the first. */
  get mainInput() {
    return this.inputOf() ?? this.pictures[0]?.input ?? this.pictureInputs[0];
  }

  /** What the input of a preview does. Undefined for the only input of a session, which does what the session does. */
  statusOf(output) {
    return this.hasSeveralInputs ? this.inputStatus.get(this.inputOf(output)?.id) : undefined;
  }

  /** The state of a preview's input: its own while the session runs, or else that of the session. */
  stateOf(output) {
    return (this.isRunning && this.statusOf(output)?.state) || this.state;
  }

  /** The inputs that are microphones: those with a form of sound. Other inputs are cameras and compositions. */
  get microphones() {
    return this.configuration?.inputs.filter(({ audioFormat }) => audioFormat) ?? [];
  }

  get hasPreview() {
    const { configuration } = this;
    return Boolean(configuration?.preview || configuration?.additionalPreviews.length);
  }

  get hasPhoto() {
    return Boolean(this.configuration?.photo);
  }

  get hasMovie() {
    return Boolean(this.configuration?.movie);
  }

  /** The id of the main movie output. */
  get mainMovie() {
    return this.configuration?.movie?.id || 'movie';
  }

  /** The capabilities of the photo output. */
  get photoCapabilities() {
    return this.session?.outputCapabilities.find((each) => each.kind === 'photoCapabilities')?.photoCapabilities;
  }

  /** Takes over a Session. Returns whether it has an output now that the stream of before does not know. */
  update(session) {
    const [hadPreview, hadPhoto] = this.session ? [this.hasPreview, this.hasPhoto] : [true, true];
    this.session = session;
    this.state = session.state;
    this.interruption = session.interruptionReason;
    this.inputStatus = new Map(session.inputStatus.map((status) => [status.input, status]));
    this.adaptationSteps = session.appliedAdaptationSteps;
    this.noteInputs();
    return (this.hasPreview && !hadPreview) || (this.hasPhoto && !hadPhoto);
  }

  get hasSeveralInputs() {
    return this.pictureInputs.length > 1;
  }

  /** Finds the error of the session. With several inputs it is that of the first one that does not run. */
  noteInputs() {
    if (this.isRunning) this.error = null;
    else if (this.hasSeveralInputs && this.state === 'INTERRUPTED') {
      const statuses = this.pictureInputs.map(({ id }) => this.inputStatus.get(id));
      this.error = statuses.find((status) => status?.error)?.error ?? null;
    }
  }

  /** Takes over an event. Tells whether the session has to be read again, and what `update` returns. */
  apply(event) {
    if (event.event === 'snapshot') return { isStale: this.update(event.snapshot) };
    return { mustRead: this.change(event) };
  }

  change(event) {
    const content = event[event.event];
    // The session may go on without one of several inputs. `noteInputs` finds what the Session says of all of them.
    if (INPUT_EVENTS.includes(event.event) && this.hasSeveralInputs) {
      // When no input is left that runs, the session stops, and only the event has the reason.
      if (event.event === 'runtimeError') this.error = content.error;
      return true;
    }
    switch (event.event) {
      case 'stateChanged':
        this.state = content.sessionState;
        if (this.state !== 'INTERRUPTED') this.interruption = 'UNSPECIFIED';
        this.noteInputs();
        // The reason is in the Session alone when one of several inputs was the last that ran.
        return this.hasSeveralInputs && this.state === 'INTERRUPTED';
      case 'wasInterrupted':
        this.interruption = content.interruptionReason;
        this.error = content.error;
        return false;
      case 'interruptionEnded':
        this.interruption = 'UNSPECIFIED';
        this.error = null;
        return false;
      case 'runtimeError':
        this.error = content.error;
        return false;
      case 'inputChanged':
        this.inputStatus.set(content.inputStatus.input, content.inputStatus);
        this.noteInputs();
        return false;
      case 'launchTimeline':
        this.launch = content;
        return false;
      case 'reconfigurationStarted':
        this.isReconfiguring = true;
        return false;
      case 'reconfigurationFinished':
        this.isReconfiguring = false;
        return true;
      case 'configurationCommitted':
      case 'costChanged':
      case 'adaptationApplied':
      case 'adaptationUndone':
        return true;
      default:
        return false;
    }
  }
}

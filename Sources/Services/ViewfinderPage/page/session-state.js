// What the page knows of one session.

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

  /** The resource name of the camera. Empty for a session without one. */
  get device() {
    return this.configuration?.inputs[0]?.device ?? '';
  }

  /** The camera or composition that the preview shows. Undefined for a session without one. */
  get shownInput() {
    const { connections, inputs, preview } = this.configuration ?? {};
    const shown = connections?.find(({ output }) => output === (preview?.id || 'preview'))?.input;
    return inputs?.find(({ id }) => id === shown) ?? inputs?.[0];
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
    this.adaptationSteps = session.appliedAdaptationSteps;
    if (this.isRunning) this.error = null;
    return (this.hasPreview && !hadPreview) || (this.hasPhoto && !hadPhoto);
  }

  /** Takes over an event. Tells whether the session has to be read again, and what `update` returns. */
  apply(event) {
    if (event.event === 'snapshot') return { isStale: this.update(event.snapshot) };
    return { mustRead: this.change(event) };
  }

  change(event) {
    const content = event[event.event];
    switch (event.event) {
      case 'stateChanged':
        this.state = content.sessionState;
        if (this.state !== 'INTERRUPTED') this.interruption = 'UNSPECIFIED';
        if (this.isRunning) this.error = null;
        return false;
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

// One recording in the list: its first picture, what is known of it, and what can be done with it.

import { icon, make, makeButton } from './dom.js';
import { durationSeconds } from './recording-watch.js';
import { codecWords, dateOf, durationText, momentText, recordingEndWords, sizeText } from './sentences.js';

export class MovieItem {
  /** `play` and `remove` are called with the item. */
  constructor(recording, { play, remove }) {
    this.recording = recording;
    const date = dateOf(recording.requestTime);
    /** The time of the recording, for people. */
    this.about = momentText(date);
    this.picture = make('span', { className: 'picture', 'aria-hidden': 'true' });
    this.duration = make('span', { className: 'duration' });
    this.playButton = makeButton('', () => play(this), { className: 'play' });
    this.playButton.append(this.picture, icon('play'), this.duration);
    this.facts = make('small');
    this.end = make('small');
    this.download = make('a', { href: downloadAddress(recording), 'aria-label': `Download the movie of ${this.about}` },
      icon('download'), 'Download');
    this.deleteButton = makeButton('', () => remove(this), {
      className: 'delete', title: 'Delete', 'aria-label': `Delete the movie of ${this.about}`,
    });
    this.deleteButton.append(icon('delete'));
    const time = make('time', { dateTime: date.toISOString() }, this.about);
    this.element = make('li', {}, this.playButton,
      make('p', { className: 'facts' }, time, this.facts, this.end),
      make('div', { className: 'can' }, this.download, this.deleteButton));
    this.element.dataset.recording = recording.name;
    this.update(recording);
  }

  /** Whether the recording has pictures that can be played. */
  get hasPictures() {
    return this.recording.recordedFileSize > 0n;
  }

  /** Whether the recording may still get more pictures. */
  get isUnderWay() {
    return this.recording.state !== 'FINISHED';
  }

  /** Shows what is known of the recording now. The elements stay, so that the focus stays too. */
  update(recording) {
    this.recording = recording;
    const { element, isUnderWay } = this;
    const { size } = recording;
    const duration = durationText(durationSeconds(recording));
    element.dataset.state = isUnderWay ? 'recording' : 'finished';
    this.duration.textContent = isUnderWay ? 'Recording' : duration;
    const facts = [size && `${size.width} × ${size.height}`, this.hasPictures && sizeText(recording.recordedFileSize)];
    this.facts.textContent = facts.filter(Boolean).join(' · ');
    // The next segment of a continuous recording has the frames that follow, so nothing ended there.
    const isPlain = isUnderWay || ['STOPPED', 'NEXT_SEGMENT'].includes(recording.end?.cause);
    this.end.textContent = isPlain ? '' : recordingEndWords(recording);
    this.playButton.disabled = !this.hasPictures;
    const length = isUnderWay ? 'it is still being recorded' : duration;
    this.playButton.setAttribute('aria-label', `Play the movie of ${this.about}, ${length}`);
    this.download.hidden = !this.hasPictures;
    this.deleteButton.hidden = isUnderWay;
  }

  /** Shows the first picture, by its address, or says why there is none. */
  showPicture(address) {
    const words = `No picture of ${codecWords(this.recording)}`;
    this.picture.replaceChildren(address ? make('img', { src: address, alt: '' }) : make('span', {}, words));
  }
}

/**
 * The address of a recording's file for a video element. Chromium remembers how long the file at an address was, so
 * the address of a file that has grown differs in the part that no server sees.
 */
export function fileAddress({ name, recordedFileSize }) {
  return `${name}#${recordedFileSize}`;
}

/** The address at which a browser saves a recording's file. */
export function downloadAddress(recording) {
  return `${recording.name}?download`;
}

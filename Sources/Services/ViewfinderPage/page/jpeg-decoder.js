// Decodes JPEG pictures off the main thread, one at a time. While a picture is decoded, of all others that come only
// the newest waits.

export class JpegDecoder {
  /** `show` is called with each picture: { image, frame, consumed }. */
  constructor(show) {
    this.show = show;
    this.next = null;
    this.isBusy = false;
    this.isClosed = false;
  }

  decode(picture) {
    this.next?.consumed();
    this.next = picture;
    if (!this.isBusy) this.work();
  }

  close() {
    this.isClosed = true;
    this.next?.consumed();
    this.next = null;
  }

  async work() {
    this.isBusy = true;
    while (this.next) {
      const { frame, consumed } = this.next;
      this.next = null;
      try {
        const image = await createImageBitmap(new Blob([frame.data], { type: 'image/jpeg' }));
        if (this.isClosed) {
          image.close();
          consumed();
        } else {
          this.show({ image, frame, consumed });
        }
      } catch {
        // The camera damaged the picture. The next one comes in a moment.
        consumed();
      }
    }
    this.isBusy = false;
  }
}

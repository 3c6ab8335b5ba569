// Short sentences for the person: what happened, and what went wrong. Screen readers read them.

const SHOWN_MILLISECONDS = 5000;
const timers = new Map();

/** Shows a sentence for a few seconds. */
export function say(sentence, { isError = false } = {}) {
  const element = document.getElementById(isError ? 'alert' : 'status');
  element.textContent = sentence;
  clearTimeout(timers.get(element));
  const shown = isError ? 2 * SHOWN_MILLISECONDS : SHOWN_MILLISECONDS;
  timers.set(element, setTimeout(() => { element.textContent = ''; }, shown));
}

/** Tells screen readers what others see. */
export function tell(sentence) {
  document.getElementById('voice').textContent = sentence;
}

/** Runs `work`, and says the error when it fails. Returns undefined then. */
export async function sayingErrors(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message, { isError: true });
    return undefined;
  }
}

// Draws the launch timeline: a bar for each step that takes time, a dot for each instant, and a table for everybody.

import { make, makeSVG } from './dom.js';

const [WIDTH, ROW, LABEL, RIGHT] = [348, 24, 116, 64];

/** The elements that show a LaunchTimeline. */
export function launchChart(timeline) {
  const origin = timeline.startRequestedNs;
  if (origin === undefined) return [make('p', {}, 'The session has not been started.')];
  const steps = launchSteps(timeline, (instant) => Number(instant - origin) / 1e6);
  const last = Math.max(1, ...steps.map((step) => step.end));
  const rows = steps.map(({ name, begin, end }) => make('tr', {},
    make('th', { scope: 'row' }, name),
    make('td', {}, begin === end ? milliseconds(end) : `${milliseconds(begin)} to ${milliseconds(end)}`)));
  const table = make('table', { className: 'quiet' }, make('tbody', {}, ...rows));
  return [drawing(steps, last), table, make('figcaption', { className: 'quiet' }, 'Since the start was requested.')];
}

/** The steps of a launch that have happened, as { name, begin, end } in milliseconds. */
function launchSteps(timeline, at) {
  const steps = [];
  const add = (name, begin, end = begin, isLater = false) => {
    if (begin !== undefined && end !== undefined) steps.push({ name, begin: at(begin), end: at(end), isLater });
  };
  add('Camera starts', timeline.startRequestedNs, timeline.startReturnedNs);
  add('First frame', timeline.firstFrameCapturedNs);
  add('First frame sent', timeline.firstFrameSentNs);
  add('Exposure settled', timeline.firstSettledFrameCapturedNs);
  add('Deferred start', timeline.deferredStartBeginNs, timeline.deferredStartEndNs, true);
  for (const { output, initBeginNs, initEndNs } of timeline.outputs) {
    add(`Prepare ${output}`, initBeginNs, initEndNs, true);
  }
  return steps.sort((a, b) => a.begin - b.begin || a.end - b.end);
}

function drawing(steps, last) {
  const first = Math.min(0, ...steps.map((step) => step.begin));
  const x = (time) => LABEL + ((time - first) / (last - first)) * (WIDTH - LABEL - RIGHT);
  const height = steps.length * ROW + 8;
  const rows = steps.flatMap(({ name, begin, end, isLater }, index) => {
    const middle = index * ROW + ROW / 2 + 4;
    const look = isLater ? 'bar later' : 'bar';
    const width = Math.max(3, x(end) - x(begin));
    return [
      makeSVG('text', { x: 0, y: middle + 4 }, name),
      begin === end
        ? makeSVG('circle', { class: look, cx: x(end), cy: middle, r: 4 })
        : makeSVG('rect', { class: look, x: x(begin), y: middle - 5, width, height: 10, rx: 4 }),
      makeSVG('text', { x: x(end) + 8, y: middle + 4 }, milliseconds(end)),
    ];
  });
  const line = makeSVG('line', { class: 'grid', x1: x(0), x2: x(0), y1: 0, y2: height });
  return makeSVG('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${height}`, 'aria-hidden': 'true' }, line, ...rows);
}

function milliseconds(time) {
  return `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
}

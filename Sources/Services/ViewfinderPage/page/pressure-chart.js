// Draws the pressure of the last 24 hours: the hottest temperature as a line, the worst level as a band below it.

import { make, makeSVG } from './dom.js';
import { LEVELS } from './sentences.js';

const [WIDTH, HEIGHT, BAND, LEFT, BOTTOM, TOP] = [348, 150, 12, 30, 18, 8];
const HOUR = 3600 * 1000;

/** The times that a chart can show, in hours: the shortest one that has all points. */
const SPANS = [1, 6, 24];

/** The elements that show the points of a PressureHistory. */
export function pressureChart(points, now = Date.now()) {
  const minutes = points.map((point) => ({
    time: Number(point.startTime.seconds) * 1000,
    length: Math.max(60_000, Number(point.duration?.seconds ?? 60n) * 1000),
    level: point.worstLevel,
    degrees: Math.max(...point.temperatures.map((each) => each.maximumMillidegrees / 1000)),
  }));
  if (minutes.length === 0) return [make('p', {}, 'The daemon has no history yet. It records a point each minute.')];
  return [drawing(minutes, now), make('figcaption', {}, make('p', {}, summary(minutes)))];
}

function drawing(minutes, now) {
  const warm = minutes.filter((minute) => Number.isFinite(minute.degrees));
  const most = Math.ceil((Math.max(60, ...warm.map((minute) => minute.degrees)) + 5) / 10) * 10;
  const least = Math.min(20, Math.floor(Math.min(...warm.map((minute) => minute.degrees), 20) / 10) * 10);
  const age = now - Math.min(...minutes.map((minute) => minute.time));
  const hours = SPANS.find((span) => age <= span * HOUR) ?? SPANS.at(-1);
  const x = (time) => LEFT + (1 - Math.min(1, (now - time) / (hours * HOUR))) * (WIDTH - LEFT);
  const floor = HEIGHT - BOTTOM - BAND - 6;
  const y = (degrees) => floor - ((degrees - least) / (most - least)) * (floor - TOP);
  const parts = [];
  for (const degrees of warm.length ? [least, (least + most) / 2, most] : []) {
    parts.push(
      makeSVG('line', { class: 'grid', x1: LEFT, x2: WIDTH, y1: y(degrees), y2: y(degrees) }),
      makeSVG('text', { x: LEFT - 6, y: y(degrees) + 4, 'text-anchor': 'end' }, `${degrees}°`));
  }
  for (const share of [1, 2 / 3, 1 / 3]) {
    const text = hours === 1 ? `−${Math.round(60 * share)} min` : `−${hours * share} h`;
    const anchor = share === 1 ? 'start' : 'middle';
    parts.push(makeSVG('text', { x: x(now - share * hours * HOUR), y: HEIGHT - 4, 'text-anchor': anchor }, text));
  }
  parts.push(makeSVG('text', { x: WIDTH, y: HEIGHT - 4, 'text-anchor': 'end' }, 'now'));
  for (const { time, length, level } of minutes) {
    const begin = x(time);
    const width = Math.max(1.2, x(Math.min(now, time + length)) - begin);
    const left = Math.min(begin, WIDTH - width);
    parts.push(makeSVG('rect', { class: `level-${level}`, x: left, y: floor + 6, width, height: BAND }));
  }
  for (const piece of pieces(warm)) {
    const places = piece.map(({ time, degrees }) => `${x(time).toFixed(1)} ${y(degrees).toFixed(1)}`);
    parts.push(makeSVG('path', { class: 'line', d: `M${places.join('L')}${places.length === 1 ? 'h1.5' : ''}` }));
  }
  const top = warm.length ? 0 : floor;
  const viewBox = `0 ${top} ${WIDTH} ${HEIGHT - top}`;
  return makeSVG('svg', { class: 'chart', viewBox, 'aria-hidden': 'true' }, ...parts);
}

/** The runs of points without a time between them in which the daemon read nothing. */
function pieces(minutes) {
  const runs = [];
  for (const minute of minutes) {
    const last = runs.at(-1)?.at(-1);
    if (last && minute.time - last.time < 3 * Math.max(last.length, minute.length)) runs.at(-1).push(minute);
    else runs.push([minute]);
  }
  return runs;
}

function summary(minutes) {
  const worst = LEVELS[Math.max(...minutes.map((minute) => LEVELS.indexOf(minute.level)))];
  const warm = minutes.filter((minute) => Number.isFinite(minute.degrees));
  const words = `The worst level was ${worst.toLowerCase()}.`;
  if (warm.length === 0) return `${words} The machine tells no temperatures.`;
  return `${words} The highest temperature was ${Math.round(Math.max(...warm.map((minute) => minute.degrees)))} °C.`;
}

// The formats and the rates of a camera, as choices for people.

import { rateText } from './sentences.js';

const COMMON_SIZES = [[3840, 2160], [2560, 1440], [1920, 1080], [1280, 720], [640, 480], [320, 240]];

/** The formats of a camera, the largest first: { key, label, format, isPresent }. */
export function formatChoices(device, present) {
  const choices = new Map();
  for (const offered of device.formats) {
    for (const [width, height] of sizes(offered)) {
      const key = `${offered.pixelFormat} ${width}x${height}`;
      const isSize = width === present.width && height === present.height;
      const isPresent = isSize && offered.pixelFormat === present.pixelFormat;
      const label = `${width} × ${height} ${offered.pixelFormat}${offered.binned ? ', binned' : ''}`;
      if (!choices.has(key)) {
        choices.set(key, { key, label, isPresent, format: { pixelFormat: offered.pixelFormat, width, height } });
      }
    }
  }
  const pixels = ({ format }) => format.width * format.height;
  return [...choices.values()].sort((a, b) => pixels(b) - pixels(a));
}

/** The rates of a camera in a format, the highest first: { key, label, rate, isPresent }. */
export function rateChoices(device, format, present) {
  const choices = new Map();
  const add = (rate) => {
    const label = rateText(rate);
    const isPresent = Boolean(present) && label === rateText(present);
    if (!choices.has(label)) choices.set(label, { key: label, label, rate, isPresent });
  };
  for (const offered of device.formats) {
    if (offered.pixelFormat !== format.pixelFormat) continue;
    if (!sizes(offered).some(([width, height]) => width === format.width && height === format.height)) continue;
    offered.frameRates.forEach(add);
    if (offered.frameRateRange) [offered.frameRateRange.highest, offered.frameRateRange.lowest].forEach(add);
  }
  if (present) add(present);
  return [...choices.values()].sort((a, b) => Number(b.key) - Number(a.key));
}

/** The only size of a format; of a range its ends and the common sizes between them. */
function sizes({ size, sizeRange }) {
  if (size) return [[size.width, size.height]];
  if (!sizeRange) return [];
  const { minimumSize: least, maximumSize: most, stepSize: step } = sizeRange;
  const fits = (value, low, high, distance) => value >= low && value <= high && (value - low) % (distance || 1) === 0;
  const common = COMMON_SIZES.filter(([width, height]) =>
    fits(width, least.width, most.width, step?.width) && fits(height, least.height, most.height, step?.height));
  return [[most.width, most.height], ...common, [least.width, least.height]];
}

// The requests of the page about the photo library.

import { call, stream } from './connect.js';
import { asOnlyDownload, inTurn, onceInTurn } from './request-queue.js';

/** How many assets a page of the list has. */
export const PAGE_SIZE = 12;

/** How long the daemon may take to send a picture, in milliseconds. */
const PICTURE_PATIENCE = 60_000;

/** The largest picture that the daemon puts into a message. A larger one is read at the address of its file. */
const LARGEST_MESSAGE = 32 << 20;

/**
 * A page of all assets with their thumbnails, the newest first: the assets, and the token of the next page, which is
 * empty on the last one. Undefined for the first page when another request for it waits already.
 */
export async function listAssets(pageToken = '') {
  const request = { pageSize: PAGE_SIZE, pageToken, includeThumbnails: true };
  const read = () => call('PhotoLibraryService/ListAssets', request);
  return pageToken ? inTurn(read) : onceInTurn('assets', read);
}

/** Makes assets of photos of one capture, all or none, and returns them in the same order. */
export async function saveCapture(capture, photos) {
  const changes = photos.map(({ bracketIndex = 0 }) => ({
    createAsset: { resources: [{ type: 'PHOTO', file: capture, bracketIndex }] },
  }));
  return (await inTurn(() => call('PhotoLibraryService/PerformChanges', { changes }))).assets;
}

/** The asset that was made of a photo of a session. Undefined when there is none. */
export async function findAsset(session, photo) {
  const { captureTime } = photo;
  const { seconds, nanos } = captureTime;
  const endTime = nanos < 999_999_999 ? { seconds, nanos: nanos + 1 } : { seconds: seconds + 1n, nanos: 0 };
  const request = { session, startTime: captureTime, endTime };
  const { assets } = await inTurn(() => call('PhotoLibraryService/ListAssets', request));
  const wanted = identityOf(session, photo);
  return assets.find((asset) => identityOf(asset.session, asset) === wanted);
}

/** Deletes an asset and its file. */
export async function deleteAsset(name) {
  const changes = [{ deleteAsset: name }];
  await inTurn(() => call('PhotoLibraryService/PerformChanges', { changes }));
}

/**
 * Hands pictures of an asset to `show`, a small one at once and then one that fits into `width` and `height`. They come
 * as a download, because they may be large.
 */
export async function requestImages(name, { width, height, signal }, show) {
  const request = { name, targetWidth: width, targetHeight: height, maxMessageBytes: LARGEST_MESSAGE };
  const signals = AbortSignal.any([signal, AbortSignal.timeout(PICTURE_PATIENCE)]);
  await asOnlyDownload(async () => {
    for await (const { image } of stream('PhotoLibraryService/RequestImage', request, { signal: signals })) {
      await show(image);
    }
  });
}

/** What a photo of a capture and the asset that was made of it have in common, and no other photo has. */
export function identityOf(session, { captureTime, byteCount, encoding }) {
  return `${session} ${captureTime.seconds} ${captureTime.nanos} ${byteCount} ${encoding}`;
}

/** Whether an error means that no photo can be saved or read, until the daemon is another one. */
export function isRefusal({ code, reason }) {
  return code === 'permission_denied' || reason === 'LIBRARY_UNAVAILABLE';
}

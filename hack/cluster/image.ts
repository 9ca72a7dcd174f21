import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';

/** One thing in an image's file system; folders above it are made as needed. */
export type ImageEntry = { path: string; mode?: number } & (
  | { file: string }
  | { text: string }
  | { link: string }
  | { folder: true }
);

/** An image to be made; layers are shared between images that name the same array. */
export interface ImageSpec {
  /** Full reference with tag. */
  reference: string;
  layers: ImageEntry[][];
  env: Record<string, string>;
  entrypoint?: string[];
}

interface Blob {
  digest: string;
  size: number;
}

/**
 * Writes images into one archive that `ctr images import` and `kind load image-archive` take: an OCI image layout
 * (https://github.com/opencontainers/image-spec/blob/main/image-layout.md) in a tar. The same input gives the same
 * bytes. The archive appears at its path in one step.
 */
export async function writeImageArchive(images: ImageSpec[], target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.images-'));
  try {
    const archive = pack();
    const written = pipeline(archive, createWriteStream(join(folder, 'archive')));
    const layers = new Map<ImageEntry[], Blob>();
    for (const layer of new Set(images.flatMap((image) => image.layers))) {
      layers.set(layer, await addLayer(archive, layer, join(folder, 'layer')));
    }
    const manifests = [];
    for (const image of images) {
      const manifest = await addManifest(
        archive,
        image,
        image.layers.map((layer) => layers.get(layer) as Blob),
      );
      // The annotation containerd reads an image's full name from.
      const annotations = { 'io.containerd.image.name': image.reference };
      manifests.push({ mediaType: MANIFEST, digest: manifest.digest, size: manifest.size, annotations });
    }
    await addFile(archive, 'index.json', JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
    await addFile(archive, 'oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    archive.finalize();
    await written;
    renameSync(join(folder, 'archive'), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A digest over everything in images but their names, for use as their tag.
 * @param images without `reference`
 */
export async function digestOfImages(images: Omit<ImageSpec, 'reference'>[]): Promise<string> {
  const hash = createHash('sha256');
  const layers = [...new Set(images.flatMap((image) => image.layers))];
  for (const entry of layers.flat()) {
    hash.update(JSON.stringify({ ...entry, file: undefined }));
    if ('file' in entry) for await (const chunk of createReadStream(entry.file)) hash.update(chunk as Buffer);
  }
  for (const image of images) {
    hash.update(JSON.stringify({ ...image, layers: image.layers.map((layer) => layers.indexOf(layer)) }));
  }
  return hash.digest('hex').slice(0, 16);
}

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';

async function addManifest(archive: Pack, image: ImageSpec, layers: Blob[]): Promise<Blob> {
  const config = await addBlob(
    archive,
    JSON.stringify({
      architecture: goArchitecture(),
      os: 'linux',
      config: {
        Env: Object.entries(image.env).map(([name, value]) => `${name}=${value}`),
        ...(image.entrypoint && { Entrypoint: image.entrypoint }),
        WorkingDir: '/',
      },
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    }),
  );
  return await addBlob(
    archive,
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, ...config },
      layers: layers.map((layer) => ({ mediaType: LAYER, ...layer })),
    }),
  );
}

/** Container images name architectures as Go does. */
export const goArchitecture = (): string => (process.arch === 'x64' ? 'amd64' : process.arch);

async function addLayer(archive: Pack, entries: ImageEntry[], scratch: string): Promise<Blob> {
  const layer = pack();
  const hash = createHash('sha256');
  layer.on('data', (chunk) => hash.update(chunk as Buffer));
  const written = pipeline(layer, createWriteStream(scratch));
  for (const entry of withFolders(entries)) await addEntry(layer, entry);
  layer.finalize();
  await written;
  const blob = { digest: `sha256:${hash.digest('hex')}`, size: statSync(scratch).size };
  await addStream(archive, { name: blobPath(blob), size: blob.size, ...FIXED }, scratch);
  return blob;
}

async function addBlob(archive: Pack, text: string): Promise<Blob> {
  const blob = {
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    size: Buffer.byteLength(text),
  };
  await addFile(archive, blobPath(blob), text);
  return blob;
}

const blobPath = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`;

/** No time of making, no owner but root: the bytes depend on the content alone. */
const FIXED = { mtime: new Date(0), uid: 0, gid: 0 };

async function addEntry(layer: Pack, entry: ImageEntry): Promise<void> {
  const name = entry.path.replace(/^\//, '');
  if ('folder' in entry)
    return await addHeader(layer, { name: `${name}/`, type: 'directory', mode: entry.mode ?? 0o755 });
  if ('link' in entry)
    return await addHeader(layer, { name, type: 'symlink', linkname: entry.link, mode: 0o777 });
  if ('text' in entry) return await addFile(layer, name, entry.text, entry.mode ?? 0o644);
  const header = { name, size: statSync(entry.file).size, mode: entry.mode ?? 0o755, ...FIXED };
  await addStream(layer, header, entry.file);
}

function addHeader(into: Pack, header: Partial<Header> & { name: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    into.entry({ ...header, ...FIXED }, '', (error) => (error ? reject(error) : resolve()));
  });
}

function addFile(into: Pack, name: string, text: string, mode = 0o644): Promise<void> {
  return new Promise((resolve, reject) => {
    into.entry({ name, mode, ...FIXED }, text, (error) => (error ? reject(error) : resolve()));
  });
}

async function addStream(
  into: Pack,
  header: Partial<Header> & { name: string },
  file: string,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const entry = into.entry(header, (error) => (error ? reject(error) : resolve()));
    pipeline(createReadStream(file), entry).catch(reject);
  });
}

/** The entries with every folder above them, each once and before what is in it. */
function withFolders(entries: ImageEntry[]): ImageEntry[] {
  const seen = new Set(entries.filter((entry) => 'folder' in entry).map(({ path }) => path));
  const missing: ImageEntry[] = [];
  for (const { path } of entries) {
    for (let parent = dirname(path); parent !== '/'; parent = dirname(parent)) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      missing.push({ path: parent, folder: true });
    }
  }
  const depth = ({ path }: ImageEntry): number => path.split('/').length;
  const folders = [...missing, ...entries.filter((entry) => 'folder' in entry)].sort(
    (a, b) => depth(a) - depth(b),
  );
  return [...folders, ...entries.filter((entry) => !('folder' in entry))];
}

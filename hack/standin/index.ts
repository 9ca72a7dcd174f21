/** The stand-in aicr, its releases and the data packs that tests install. */
export * from './checks.ts';
export * from './pack.ts';
export * from './packs.ts';
export * from './release.ts';

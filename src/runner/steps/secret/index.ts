export { describeSecret, lookAtSecret } from './look.ts';
export { type Awaited, awaitSecrets } from './wait.ts';

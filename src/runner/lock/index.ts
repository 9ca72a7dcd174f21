export { createLock, type Lock, type LockStatus } from './lock.ts';

export { type Host, podHost } from './host.ts';
export { plan } from './plan.ts';

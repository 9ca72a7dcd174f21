export { type DockerConfig, loginFor } from './credentials.ts';
export { type Login, writeLogin } from './login.ts';
export { type Registry, reachHint, registryOf } from './reference.ts';

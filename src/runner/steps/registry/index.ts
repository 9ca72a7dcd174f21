export { type DockerConfig, loginFor } from './credentials.ts';
export { type Login, writeLogin } from './login.ts';
export { hubHint, type Registry, registryOf } from './reference.ts';

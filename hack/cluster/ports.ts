import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Finds free TCP ports. They are free at the moment of asking; nothing reserves them.
 * @param address the address that will listen
 * @param count how many, all different
 */
export async function freePorts(address: string, count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, address));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Tells whether somebody listens on a TCP port. */
export function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1000 });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => settle(true));
    socket.on('timeout', () => settle(false));
    socket.on('error', () => settle(false));
  });
}

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/** From here on Linux hands ports out by itself: to connections, and to whoever asks for any. */
const HANDED_OUT = 32_768;

/**
 * Finds free TCP ports. They are free at the moment of asking and nothing reserves them, so they are such as nobody
 * is given unasked until they are listened on.
 * @param address the address that will listen
 * @param count how many, all different
 */
export async function freePorts(address: string, count: number): Promise<number[]> {
  const taken = new Map<number, Server>();
  while (taken.size < count) {
    const port = randomInt(HANDED_OUT - 10_000, HANDED_OUT);
    const server = createServer().listen(port, address);
    try {
      await once(server, 'listening');
      taken.set(port, server);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  await Promise.all([...taken.values()].map((server) => once(server.close(), 'close')));
  return [...taken.keys()];
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

import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that takes every connection and says nothing. */
export interface Hold {
  /** `host:port` */
  readonly host: string;
  /** How many have come. */
  readonly asked: () => number;
  stop(): void;
}

/** @param address of this machine that it listens on */
export async function startHold(address: string): Promise<Hold> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    // Who is killed cuts the connection.
    socket.on('error', () => {});
    socket.resume();
    sockets.push(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  return {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    asked: () => sockets.length,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

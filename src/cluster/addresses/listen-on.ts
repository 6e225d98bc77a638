import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hasCode } from '../../base/has-code.ts'
import { joinStreams } from '../../base/join-streams.ts'
import { messageOf } from '../../base/message-of.ts'
import { quietErrors } from '../../base/quiet.ts'

/** A listener on this machine. */
export interface OpenPort {
  /** Closes the port and its connections. */
  close(): void
}

/** Connections of one port at a time; more are closed at once. */
const MAX_CONNECTIONS = 1024

/**
 * Opens a port; each connection is joined with one that `connect` opens for its address. Undefined or an error: nothing listens behind it,
 * the client's connection is reset, as where kube-proxy refuses one. Rejects with Node's error (`EADDRINUSE`, `EACCES`, …).
 */
export async function listenOn(
  at: { readonly host: string; readonly port: number },
  connect: (client: string) => Promise<Duplex | undefined>,
): Promise<OpenPort> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    clients.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => clients.delete(client))
    connect(client.remoteAddress ?? '').then(
      (target) => (target === undefined ? client.resetAndDestroy() : lead(client, target)),
      () => client.resetAndDestroy(),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await opened(server, at)
  quietErrors(server, 'later errors are those of single connections (no file descriptors left)')
  return {
    close() {
      server.close()
      for (const client of clients) client.destroy()
    },
  }
}

function lead(client: Socket, target: Duplex): void {
  if (client.destroyed) target.destroy()
  else joinStreams(client, target)
}

const opened = (server: Server, at: { readonly host: string; readonly port: number }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** Why a port could not be opened, in a few words. */
export function whyNotOpened(error: unknown): string {
  if (hasCode(error, 'EADDRINUSE')) return 'another program uses it'
  if (hasCode(error, 'EACCES')) return 'this user may not open it'
  if (hasCode(error, 'EADDRNOTAVAIL')) return 'this machine does not have the address'
  return messageOf(error)
}

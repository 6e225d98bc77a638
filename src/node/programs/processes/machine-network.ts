import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { holdsSocket, listeningPorts } from './listening-ports.ts'

/** How often it is looked whether a process has opened or closed a port. */
const LOOK_MS = 200

/** Joins two connections until both have ended. */
export function joinConnections(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    pipeline(from, to).catch(() => {
      from.destroy()
      to.destroy()
    })
}

/**
 * A port of this machine that leads to the API server, for a process in the machine's network: there nothing is at the address of the
 * service `kubernetes`.
 */
export async function openApiPort(container: ShippedProcess): Promise<Readonly<Record<string, string>>> {
  const { KUBERNETES_SERVICE_HOST = '', KUBERNETES_SERVICE_PORT = '443' } = container.environment
  const open = new Set<Socket>()
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.on('error', () => socket.destroy()))
    socket.once('close', () => open.delete(socket))
    container.connect(KUBERNETES_SERVICE_HOST, Number(KUBERNETES_SERVICE_PORT)).then(
      (connection) => joinConnections(socket, connection),
      () => socket.destroy(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Not before: where the process is over already, this closes it at once.
  container.hold(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port), KUBERNETES_SERVICE_PORT_HTTPS: String(port) }
}

/**
 * Opens the ports that the manifest declares in the network of the pods while the container has them open, until the process ends. What
 * other programs of the machine listen on is not the pod's: a manifest could reach any of them.
 */
export async function publishPorts(container: ShippedProcess, pid: number): Promise<void> {
  const { ports } = container.facts
  const open = new Map<number, () => void>()
  while (ports.length > 0) {
    const listening = await listeningPorts(pid)
    for (const port of ports) {
      const sockets = listening.get(port)
      if (sockets === undefined) {
        open.get(port)?.()
        open.delete(port)
      } else if (!open.has(port) && (await holdsSocket(pid, sockets))) open.set(port, await publish(container, port))
    }
    await container.clock.sleep(LOOK_MS)
  }
}

async function publish(container: ShippedProcess, port: number): Promise<() => void> {
  const { close } = await container.listen(port, {
    connection: (connection) => joinConnections(connection, net.connect({ host: 'localhost', port, allowHalfOpen: true })),
  })
  return close
}

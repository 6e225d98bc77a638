import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { quiet } from '../../../base/quiet.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { inNetwork } from './isolation.ts'
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
 * A port of 127.0.0.1 that leads to the API server, in the machine's network or in that of the pod: there nothing is at the address of the
 * service `kubernetes`.
 */
export async function openApiPort(container: ShippedProcess, network: string | undefined): Promise<Readonly<Record<string, string>>> {
  const { KUBERNETES_SERVICE_HOST = '', KUBERNETES_SERVICE_PORT = '443' } = container.environment
  const open = new Set<Socket>()
  const server = await (network === undefined ? listenHere() : listenIn(network))
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => socket.destroy()))
    socket.once('close', () => open.delete(socket))
    container.connect(KUBERNETES_SERVICE_HOST, Number(KUBERNETES_SERVICE_PORT)).then(
      (connection) => joinConnections(socket, connection),
      () => socket.destroy(),
    )
  })
  // Not before: where the process is over already, this closes it at once.
  container.hold(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port), KUBERNETES_SERVICE_PORT_HTTPS: String(port) }
}

async function listenHere(): Promise<Server> {
  const server = net.createServer({ allowHalfOpen: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** A socket stays in the network in which it was made: a process that is there opens the port, and hands it over. */
const OPENER = `const server = require('node:net').createServer({ allowHalfOpen: true })
server.listen(0, '127.0.0.1', () => process.send('port', server, () => process.exit()))`

async function listenIn(network: string): Promise<Server> {
  const [file = '', ...words] = inNetwork(network, [process.execPath, '-e', OPENER])
  const opener = spawn(file, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: {} })
  const ended = once(opener, 'exit').then(() => {
    throw new Error(`no port can be opened in ${network}`)
  })
  const [, server] = (await Promise.race([once(opener, 'message'), ended])) as [string, Server]
  void quiet(ended, 'it has done its work')
  return server
}

/**
 * Opens the ports that the manifest declares in the network of the pods while the container has them open, until the process ends. What
 * other programs of the machine listen on is not the pod's: a manifest could reach any of them.
 */
export async function publishPorts(container: ShippedProcess, pid: number, host = 'localhost'): Promise<void> {
  const { ports } = container.facts
  const open = new Map<number, () => void>()
  while (ports.length > 0) {
    const listening = await listeningPorts(pid)
    for (const port of ports) {
      const sockets = listening.get(port)
      if (sockets === undefined) {
        open.get(port)?.()
        open.delete(port)
      } else if (!open.has(port) && (await holdsSocket(pid, sockets))) open.set(port, await publish(container, port, host))
    }
    await container.clock.sleep(LOOK_MS)
  }
}

/** `host`: where the process listens, as this process reaches it. */
async function publish(container: ShippedProcess, port: number, host: string): Promise<() => void> {
  const { close } = await container.listen(port, {
    connection: (connection) => joinConnections(connection, net.connect({ host, port, allowHalfOpen: true })),
  })
  return close
}

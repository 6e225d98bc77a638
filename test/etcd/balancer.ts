import { once } from 'node:events'
import { request } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP balancer that sends each connection to the next server that says it is ready. */
export interface Balancer extends AsyncDisposable {
  readonly port: number
  /** How many servers are ready. */
  readonly readyServers: number
}

/** How often each server is asked. */
const CHECK_MS = 50

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const ready = new Set(ports)
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const able = ports.filter((port) => ready.has(port))
    const port = able[turn++ % able.length]
    if (port === undefined) return void client.destroy()
    const backend = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.end()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const timer = setInterval(() => {
    for (const port of ports) void isReady(port).then((is) => (is ? ready.add(port) : ready.delete(port)))
  }, CHECK_MS)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('invariant: a TCP server has a port')
  return {
    port: address.port,
    get readyServers() {
      return ready.size
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', agent: false, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}

import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import type { UpgradeRequest, UpgradeResponse } from './accepted.ts'

/** A refusal as it was written. */
export interface RefusalDouble extends UpgradeResponse {
  readonly said: { status: number; headers: Readonly<Record<string, string>>; body: string; ended: boolean }
}

export function refusalDouble(): RefusalDouble {
  const said: RefusalDouble['said'] = { status: 0, headers: {}, body: '', ended: false }
  return {
    said,
    start: (status, headers) => void Object.assign(said, { status, headers }),
    write(chunk) {
      said.body += Buffer.from(chunk).toString()
      return true
    },
    end() {
      said.ended = true
    },
  }
}

/** A server that passes every upgrade to `handle`, and its address. */
export async function upgradeServer(handle: (request: UpgradeRequest, answer: RefusalDouble) => void) {
  const server = http.createServer()
  server.on('upgrade', ({ method = '', url = '', headers }, socket, head) => {
    const query = new URL(url, 'http://x').searchParams
    handle({ method, url, headers, query: { all: (name) => query.getAll(name) }, upgrade: { socket, head } }, refusalDouble())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  return { port, url: `ws://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

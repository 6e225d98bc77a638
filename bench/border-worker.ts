/** One border thread of `border-server.ts`. */
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { ADMIN } from '../src/cluster/users.ts'
import { Link, wholeResponse } from '../src/threads/link.ts'

if (parentPort === null) throw new Error('border-worker.ts is a worker of border-server.ts')
const port = parentPort
const as = JSON.stringify(ADMIN)
const server = createSecureServer({
  ...(workerData as { key: string; cert: string; ca: string }),
  requestCert: true,
  rejectUnauthorized: true,
})
server.listen(0, '127.0.0.1', () => {
  port.postMessage((server.address() as AddressInfo).port)
  const link = new Link(port)
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    const [, namespace, resource, name] = /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)\/([^/?]+)$/.exec(headers[':path'] ?? '') ?? []
    const call = { verb: 'get', target: { group: '', version: 'v1', resource, namespace, name }, query: {} }
    const bytes = await wholeResponse(link.open('call', { as, call }, { ended: true }))
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': bytes.length })
    stream.end(bytes)
  })
})

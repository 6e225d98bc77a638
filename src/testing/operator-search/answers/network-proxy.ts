import http from 'node:http'
import { quietErrors } from '../../../base/quiet.ts'
import { openLocalServer } from '../../local-server.ts'
import type { PodNetwork } from './pod-network.ts'

/** An HTTP proxy into the network of a cluster's pods, for a program (`HTTP_PROXY`, `HTTPS_PROXY`). */
export interface NetworkProxy extends AsyncDisposable {
  readonly address: string
}

/** Opens it on a free port of 127.0.0.1. */
export async function openNetworkProxy(network: PodNetwork): Promise<NetworkProxy> {
  const server = http.createServer((request, response) => {
    pass(network, request, response).catch((error: Error) => response.writeHead(502).end(`${error.message}\n`))
  })
  server.on('connect', ({ url = '' }, socket, head: Buffer) => {
    const at = url.lastIndexOf(':')
    const opened = network.connect(url.slice(0, at).replace(/^\[|\]$/g, ''), Number(url.slice(at + 1)))
    quietErrors(socket, 'the program has gone')
    opened.then(
      (connection) => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        connection.write(head)
        connection.pipe(socket).pipe(connection)
      },
      (error: Error) => socket.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${error.message}\n`),
    )
  })
  const { port, [Symbol.asyncDispose]: close } = await openLocalServer(server)
  return { address: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

async function pass(network: PodNetwork, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { hostname, port, pathname, search } = new URL(request.url ?? '')
  const connection = await network.connect(hostname.replace(/^\[|\]$/g, ''), Number(port || 80))
  const { 'proxy-connection': _, ...headers } = request.headers
  const sent = http.request({ createConnection: () => connection, method: request.method, path: `${pathname}${search}`, headers })
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on('error', () => response.destroy())
  request.pipe(sent)
}

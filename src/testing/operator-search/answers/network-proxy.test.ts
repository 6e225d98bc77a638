import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { openNetworkProxy } from './network-proxy.ts'
import type { PodNetwork } from './pod-network.ts'

/** Pods that answer any HTTP request with where it went; nothing is at port 1. */
const network: Pick<PodNetwork, 'connect'> = {
  connect: async (host, port) => {
    if (port === 1) throw new Error(`connect to ${host}:${port}: no pod that is ready answers there`)
    const [near, far] = duplexPair()
    far.once('data', (bytes: Buffer) => {
      const body = `${host}:${port} ${bytes.toString().split('\r\n')[0]}`
      far.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`)
    })
    return near
  },
}

async function ask(proxy: string, url: string): Promise<string> {
  const { hostname, port } = new URL(proxy)
  const sent = http.get({ host: hostname, port, path: url, agent: false })
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  return `${response.statusCode} ${text}`
}

test('a request for a URL goes to the pod behind it', async () => {
  await using proxy = await openNetworkProxy(network as PodNetwork)
  assert.equal(await ask(proxy.address, 'http://web.default:8080/a?b=c'), '200 web.default:8080 GET /a?b=c HTTP/1.1')
})

test('where nothing answers, the proxy says so', async () => {
  await using proxy = await openNetworkProxy(network as PodNetwork)
  assert.equal(await ask(proxy.address, 'http://web.default:1/'), '502 connect to web.default:1: no pod that is ready answers there\n')
})

test('CONNECT opens a connection for other protocols', async () => {
  await using proxy = await openNetworkProxy(network as PodNetwork)
  const { hostname, port } = new URL(proxy.address)
  const sent = http.request({ host: hostname, port, method: 'CONNECT', path: '10.0.0.1:443', agent: false }).end()
  const [response, socket] = (await once(sent, 'connect')) as [http.IncomingMessage, NodeJS.ReadWriteStream]
  assert.equal(response.statusCode, 200)
  socket.write('hello\r\n')
  let text = ''
  for await (const part of socket) text += String(part)
  assert.match(text, /10\.0\.0\.1:443 hello$/)
})

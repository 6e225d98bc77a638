import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeAuthority, makeLeaf } from '../../apiserver/http/connection/listener.double.ts'

/** A received request. */
export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export type WebhookHandler = (call: ReceivedCall, response: ServerResponse, request: IncomingMessage) => void

/** A webhook over real HTTPS, with a port, a CA and a folder of its own. */
export interface WebhookDouble extends AsyncDisposable {
  readonly url: string
  readonly ca: string
  readonly folder: string
  readonly received: ReceivedCall[]
  /** The number of accepted connections. */
  readonly connections: number
  /** The current handler. */
  handler: WebhookHandler
  /** Writes a file into the folder and returns its path. */
  file(name: string, content: string | object): string
  /** Writes a kubeconfig for this webhook and returns its path. */
  kubeconfig(serverPath: string, user?: object, cluster?: object): string
}

export const json = (response: ServerResponse, value: unknown, code = 200) => {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

export async function webhookDouble(handler: WebhookHandler = (_, response) => json(response, {})): Promise<WebhookDouble> {
  const authority = makeAuthority('webhooks')
  const leaf = makeLeaf(authority, 'webhook', { usages: ['server'], ipAddresses: ['127.0.0.1'] })
  const folder = mkdtempSync(path.join(tmpdir(), 'webhook-'))
  let connections = 0
  const server = https.createServer({ cert: leaf.certificate, key: leaf.key }, async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return
    }
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text: Buffer.concat(parts).toString(),
    }
    webhook.received.push(call)
    webhook.handler(call, response, request)
  })
  server.on('secureConnection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const webhook = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certificate,
    folder,
    received: [] as ReceivedCall[],
    handler,
    get connections() {
      return connections
    },
    file(name: string, content: string | object) {
      const at = path.join(folder, name)
      writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content))
      return at
    },
    kubeconfig(serverPath: string, user: object = {}, cluster: object = {}) {
      webhook.file('webhook-ca.crt', authority.certificate)
      return webhook.file('webhook.kubeconfig', {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'webhook', cluster: { server: `${webhook.url}${serverPath}`, 'certificate-authority': 'webhook-ca.crt', ...cluster } },
        ],
        users: [{ name: 'api', user }],
        contexts: [{ name: 'c', context: { cluster: 'webhook', user: 'api' } }],
        'current-context': 'c',
      })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return webhook
}

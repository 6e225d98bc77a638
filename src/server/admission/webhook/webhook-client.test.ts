import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { makeAuthority, makeLeaf } from '../../../apiserver/http/connection/listener.double.ts'
import { systemClock } from '../../../base/clock.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { createServiceResolver, type LocalServer } from '../../services/resolve-service.ts'
import { createWebhookClient } from './webhook-client.ts'

/** A webhook that returns the path of the request. */
async function echo(tls: { readonly certificate: string; readonly key: string }) {
  const server = https.createServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
    request.resume()
    response.end(JSON.stringify({ path: request.url }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const names = { usages: ['server'] as const, ipAddresses: ['127.0.0.1'] }
/** Resolves these services, and servers of this process. */
const resolverOf = (services: readonly KubeObject[], local: ReadonlyMap<string, LocalServer> = new Map()) =>
  createServiceResolver(
    { routing: false },
    {
      reader: {
        get: (_group, _resource, namespace, name) =>
          services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
        list: () => [],
      },
      local,
    },
  )
const bundle = (pem: string) => Buffer.from(pem).toString('base64')

test('a bundle may have the certificate itself, or an intermediate authority, as in Go', async () => {
  const root = makeAuthority('root')
  const middle = makeAuthority('middle', root)
  const leaf = makeLeaf(middle, 'hook', names)
  await using hook = await echo(leaf)
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([]) })
  for (const trusted of [leaf, middle]) {
    const config = { url: `${hook.address}/x`, caBundle: bundle(trusted.certificate) }
    assert.deepEqual(await client.call(config, {}, 5), { path: '/x?timeout=5s' })
  }
  const stranger = { url: `${hook.address}/x`, caBundle: bundle(makeAuthority('stranger').certificate) }
  await assert.rejects(client.call(stranger, {}, 5), /certificate signed by unknown authority/)
})

test('the path of a URL is joined as in Go', async () => {
  const root = makeAuthority('root')
  const leaf = makeLeaf(root, 'hook', names)
  await using hook = await echo(leaf)
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([]) })
  for (const [path, expected] of [
    ['', '/'],
    ['/', '/'],
    ['//failing', '/failing'],
    ['/a/', '/a'],
    ['/a/./b/../c//d/', '/a/c/d'],
    ['/../x', '/x'],
  ] as const) {
    const config = { url: `${hook.address}${path}`, caBundle: bundle(root.certificate) }
    assert.deepEqual(await client.call(config, {}, 5), { path: `${expected}?timeout=5s` }, path)
  }
})

test('a service may lead to a port of this machine', async () => {
  const root = makeAuthority('root')
  await using hook = await echo(makeLeaf(root, 'hook', { usages: ['server'], dnsNames: ['hook.default.svc'] }))
  const annotations = { 'bowsprit.dev/local-port': new URL(hook.address).port }
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook', namespace: 'default', annotations }, spec: {} }
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([service]) })
  const config = { service: { namespace: 'default', name: 'hook', path: '/x' }, caBundle: bundle(root.certificate) }
  assert.deepEqual(await client.call(config, {}, 5), { path: '/x?timeout=5s' })
})

test('a service of this process, with or without a Service, is called without TLS', async () => {
  const seen: (string | undefined)[] = []
  const server = http.createServer((request, response) => {
    seen.push(request.headers.host)
    request.resume()
    response.end(JSON.stringify({ path: request.url }))
  })
  const connect = () => {
    const [here, there] = duplexPair()
    server.emit('connection', there)
    return here
  }
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([], new Map([['default/hook', connect]])) })
  const config = { service: { namespace: 'default', name: 'hook', path: '/x' } }
  for (let i = 0; i < 2; i++) assert.deepEqual(await client.call(config, {}, 5), { path: '/x?timeout=5s' })
  assert.deepEqual(seen, ['hook.default.svc:443', 'hook.default.svc:443'])
})

test('a short answer may be YAML; a long one would hold up the server', async () => {
  let lines = 100
  const server = http.createServer((request, response) => {
    request.resume()
    response.end('a: b\n'.repeat(lines))
  })
  const connect = () => {
    const [here, there] = duplexPair()
    server.emit('connection', there)
    return here
  }
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([], new Map([['default/hook', connect]])) })
  const config = { service: { namespace: 'default', name: 'hook' } }
  assert.deepEqual(await client.call(config, {}, 5), { a: 'b' })
  lines = 100_000
  await assert.rejects(client.call(config, {}, 5), { message: /json parse error: 500000 characters are no JSON object$/ })
})

test('a server of this process that hangs up is named', async () => {
  const connect = () => {
    const [here, there] = duplexPair()
    there.on('data', () => here.destroy())
    return here
  }
  await using client = createWebhookClient({ clock: systemClock, resolver: resolverOf([], new Map([['default/hook', connect]])) })
  await assert.rejects(client.call({ service: { namespace: 'default', name: 'hook' } }, {}, 5), {
    message: 'failed to call webhook: Post "https://hook.default.svc:443/?timeout=5s": EOF',
  })
})

test('unreachable services have the same messages as those of APIServices', async () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook', namespace: 'default' } }
  const client = (spec: object) => createWebhookClient({ clock: systemClock, resolver: resolverOf([{ ...service, spec }]) })
  for (const [spec, says] of [
    [{ ports: [{ port: 80 }] }, 'no service port 443 found for service "hook"'],
    [{ ports: [{ port: 443 }] }, 'no endpoints available for service "hook"'],
    [{ clusterIP: 'None' }, 'cannot route to service with ClusterIP "None"'],
  ] as const) {
    await using requested = client(spec)
    await assert.rejects(requested.call({ service: { namespace: 'default', name: 'hook' } }, {}, 5), {
      message: `failed to call webhook: Post "https://hook.default.svc:443/?timeout=5s": ${says}`,
    })
  }
})

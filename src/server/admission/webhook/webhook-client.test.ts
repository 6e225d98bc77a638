import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import { makeAuthority, makeLeaf } from '../../../apiserver/http/listener.double.ts'
import { systemClock } from '../../../base/clock.ts'
import { createWebhookClient } from './webhook-client.ts'

/** A webhook that answers with the path that it was asked for. */
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
const bundle = (pem: string) => Buffer.from(pem).toString('base64')

test('a bundle may hold the certificate itself, or an authority in between, as Go takes them', async () => {
  const root = makeAuthority('root')
  const middle = makeAuthority('middle', root)
  const leaf = makeLeaf(middle, 'hook', names)
  await using hook = await echo(leaf)
  await using client = createWebhookClient({ clock: systemClock, reader: watchCacheDouble().reader })
  for (const trusted of [leaf, middle]) {
    const config = { url: `${hook.address}/x`, caBundle: bundle(trusted.certificate) }
    assert.deepEqual(await client.call(config, {}, 5, { anyObject: true }), { path: '/x?timeout=5s' })
  }
  const stranger = { url: `${hook.address}/x`, caBundle: bundle(makeAuthority('stranger').certificate) }
  await assert.rejects(client.call(stranger, {}, 5, { anyObject: true }), /certificate signed by unknown authority/)
})

test('the path of a URL is asked for as Go joins it', async () => {
  const root = makeAuthority('root')
  const leaf = makeLeaf(root, 'hook', names)
  await using hook = await echo(leaf)
  await using client = createWebhookClient({ clock: systemClock, reader: watchCacheDouble().reader })
  for (const [path, expected] of [
    ['', '/'],
    ['/', '/'],
    ['//failing', '/failing'],
    ['/a/', '/a'],
    ['/a/./b/../c//d/', '/a/c/d'],
    ['/../x', '/x'],
  ] as const) {
    const config = { url: `${hook.address}${path}`, caBundle: bundle(root.certificate) }
    assert.deepEqual(await client.call(config, {}, 5, { anyObject: true }), { path: `${expected}?timeout=5s` }, path)
  }
})

test('a service may lead to a port of this machine', async () => {
  const root = makeAuthority('root')
  await using hook = await echo(makeLeaf(root, 'hook', { usages: ['server'], dnsNames: ['hook.default.svc'] }))
  const annotations = { 'bowsprit.dev/local-port': new URL(hook.address).port }
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook', namespace: 'default', annotations }, spec: {} }
  const reader = { get: () => service, list: () => [] }
  await using client = createWebhookClient({ clock: systemClock, reader })
  const config = { service: { namespace: 'default', name: 'hook', path: '/x' }, caBundle: bundle(root.certificate) }
  assert.deepEqual(await client.call(config, {}, 5, { anyObject: true }), { path: '/x?timeout=5s' })
})

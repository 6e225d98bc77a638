/** Clients that reach the API server by other addresses and names than 127.0.0.1. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { NAMESPACES } from '../../src/resources/refs.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfig } from '../../src/sdk/client/kubeconfig.ts'

const parts = ['server'] as const

test('a server on all addresses is reached at each, by the names of its certificate', async () => {
  await using cluster = await startCluster({
    ephemeral: true,
    port: 0,
    parts,
    address: '0.0.0.0',
    certificateNames: ['cluster.test', '127.0.0.9'],
  })
  const kubeconfig = await loadKubeconfig(cluster.kubeconfig())
  assert.match(kubeconfig.server, /^https:\/\/127\.0\.0\.1:\d+$/)
  for (const [host, serverName] of [
    ['127.0.0.1', undefined],
    ['127.0.0.9', undefined],
    ['127.0.0.2', 'cluster.test'],
  ] as const) {
    const server = kubeconfig.server.replace('127.0.0.1', host)
    await using transport = httpsTransport({ ...kubeconfig, server, ...(serverName && { serverName }) })
    assert.equal((await createClient(transport).get({ ...NAMESPACES, name: 'default' })).metadata.name, 'default', host)
  }
  await using stranger = httpsTransport({ ...kubeconfig, server: kubeconfig.server.replace('127.0.0.1', '127.0.0.2') })
  await assert.rejects(createClient(stranger).get({ ...NAMESPACES, name: 'default' }), /altnames|certificate/i)
})

test('without an address it is reached at 127.0.0.1 alone; one of the machine is in the certificate', async () => {
  await using plain = await startCluster({ ephemeral: true, port: 0, parts })
  await using other = await startCluster({ ephemeral: true, port: 0, parts, address: '127.0.0.3' })
  const get = async (text: string, host: string) => {
    const kubeconfig = await loadKubeconfig(text)
    const server = kubeconfig.server.replace(/127\.0\.0\.\d+/, host)
    await using transport = httpsTransport({ ...kubeconfig, server })
    return await createClient(transport).get({ ...NAMESPACES, name: 'default' })
  }
  await assert.rejects(get(plain.kubeconfig(), '127.0.0.3'), /ECONNREFUSED|connect/)
  assert.equal((await get(other.kubeconfig(), '127.0.0.3')).metadata.name, 'default')
})

for (const [options, message] of [
  [{ address: 'localhost' }, /^--address: "localhost" is no IPv4 address of this machine/],
  [{ certificateNames: ['a b'] }, /^--certificate-names: "a b" is neither a DNS name nor an IPv4 address$/],
] as const)
  test(`refused: ${JSON.stringify(options)}`, () => assert.rejects(startCluster({ ephemeral: true, port: 0, ...options }), { message }))

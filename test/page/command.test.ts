/** `bowsprit page` against a cluster behind HTTPS, with the rights of the kubeconfig's user. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import * as refs from '../../src/resources/refs.ts'
import type { TokenRequest } from '../../src/resources/types/authentication.ts'
import type { Target } from '../../src/sdk/client/client.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'
import { askRows } from './page-socket.ts'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

/** Runs `bowsprit page` until the end of the test; resolves with its link. */
async function pageOf(t: TestContext, kubeconfig: string): Promise<URL> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  const file = path.join(folder, 'kubeconfig')
  writeFileSync(file, kubeconfig)
  const stop = new AbortController()
  let out = ''
  const args = ['--disable-warning=ExperimentalWarning', main, 'page', '--kubeconfig', file]
  const onOut = (text: string) => {
    out = text
  }
  const ended = runProgram(process.execPath, args, { onOut, signal: stop.signal }).catch(() => undefined)
  t.after(async () => {
    stop.abort()
    await ended
    rmSync(folder, { recursive: true })
  })
  return new URL(await waitFor(() => /^page {2}(\S+)$/m.exec(out)?.[1]))
}

test('rows of another process follow the cluster', async (t) => {
  await using cluster = await startCluster({ nodes: 0 })
  await cluster.listen()
  const link = await pageOf(t, cluster.kubeconfig())
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  using asked = askRows(link, { resource: 'configmaps', namespace: 'default', filter: 'colour' })
  await waitFor(() => asked.page()?.loading === false)
  await cluster.client().create(target, configMap('colours', { a: 'red' }))
  await waitFor(() => asked.names().includes('colours'))
  await cluster.client().delete({ ...target, name: 'colours' })
  await waitFor(() => asked.names().length === 0)
})

test('the answer for a kind that is not served, and for one that the user may not list, says so', async (t) => {
  await using cluster = await startCluster({ nodes: 0 })
  await cluster.listen()
  const client = cluster.client()
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } } as const
  const account: Target = { ...refs.SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }
  await waitFor(() => client.get(account).then(Boolean, () => false))
  const issued = await client.create<TokenRequest>({ ...account, subresource: 'token' }, request)
  const token = issued.status?.token ?? ''
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: cluster.address, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
  }
  const link = await pageOf(t, JSON.stringify(kubeconfig))
  using unknown = askRows(link, { group: 'example.com', resource: 'nothings' })
  await waitFor(() => unknown.messages.some((message) => message.type === 'error' && /not find|not found/.test(message.message)))
  using forbidden = askRows(link, { resource: 'secrets' })
  await waitFor(() =>
    forbidden.messages.some((message) => message.type === 'rows' && message.page.problem.includes('cannot list resource')),
  )
})

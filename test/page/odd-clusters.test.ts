/** Clusters that are hard to show: thousands of kinds, an API that is down, credentials that fail, hostile text in every field. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { openPage } from '../../src/page/server/open-page.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Client, Target } from '../../src/sdk/client/client.ts'
import { connect } from '../../src/sdk/client/connect.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { builtPage, openBrowser, shows, skipWithoutBrowser } from './browser.ts'
import { askRows, latest, openSocket } from './page-socket.ts'

const skip = skipWithoutBrowser()

async function pageOf(t: TestContext, client: Client): Promise<URL> {
  const page = await openPage(0, { client, clock: systemClock, clusterName: 'test', serverAddress: '' })
  t.after(() => page[Symbol.asyncDispose]())
  return new URL(page.link)
}

async function serverOf(t: TestContext): Promise<Client> {
  const cluster = await startCluster({ nodes: 0, parts: ['server'] })
  t.after(() => cluster[Symbol.asyncDispose]())
  return cluster.client()
}

const KINDS = 3_000
const FOREIGN = 'many.example.com'

/** A client whose cluster serves thousands of kinds more, which have no objects. */
function withKinds(client: Client): Client {
  const resources = Array.from({ length: KINDS }, (_, i) => ({
    resource: `things${i}`,
    responseKind: { group: FOREIGN, version: 'v1', kind: `Thing${i}` },
    scope: 'Namespaced',
    verbs: ['get', 'list', 'watch'],
  }))
  const isForeign = ({ group }: Target) => group === FOREIGN
  return {
    ...client,
    page: (async (at: string, options: object) => {
      const answer = await client.page(at, options)
      if (at !== '/apis') return answer
      const value = answer.value as { items: object[] }
      return { value: { ...value, items: [...value.items, { metadata: { name: FOREIGN }, versions: [{ version: 'v1', resources }] }] } }
    }) as Client['page'],
    list: (async (target: Target, options: object) =>
      isForeign(target)
        ? { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] }
        : client.list(target, options)) as Client['list'],
    watch: (target, options) => (isForeign(target) ? silence(options?.signal) : client.watch(target, options)),
  }
}

async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
  yield* []
}

test('3,000 kinds: all are listed, and the overview and find go on', async (t) => {
  const client = await serverOf(t)
  using socket = openSocket(
    await pageOf(t, withKinds(client)),
    { type: 'kinds', id: 1 },
    { type: 'overview', id: 2 },
    { type: 'find', id: 3, text: 'kubernetes' },
  )
  await waitFor(() => latest(socket, 'kinds'))
  assert.equal(latest(socket, 'kinds')?.kinds.filter(({ group }) => group === FOREIGN).length, KINDS)
  await waitFor(() => latest(socket, 'overview')?.overview.loading === 0)
  await waitFor(() => latest(socket, 'found')?.objects.some(({ name }) => name === 'kubernetes'))
})

test('an aggregated API that is down: its list says so, the other kinds are shown', async (t) => {
  const client = await serverOf(t)
  const service = { name: 'nowhere', namespace: 'default', port: 443 }
  await client.create({ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' }, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.down.example.com' },
    spec: {
      group: 'down.example.com',
      version: 'v1',
      service,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
    },
  } as KubeObject)
  const link = await pageOf(t, client)
  using down = askRows(link, { group: 'down.example.com', resource: 'things' })
  using overview = openSocket(link, { type: 'overview', id: 1 })
  await waitFor(() => latest(down.socket, 'error')?.message)
  await waitFor(() => latest(overview, 'overview')?.overview.loading === 0)
  assert.ok(latest(overview, 'overview')?.overview.counts.some(({ kind }) => kind === 'Namespace'))
})

test('a credential plugin that fails when its credential is over is named', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const was = path.join(folder, 'was')
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'x', expirationTimestamp: '2020-01-01T00:00:00Z' },
  }
  const script = `if [ -e '${was}' ]; then exit 3; fi; touch '${was}'; echo '${JSON.stringify(credential)}'`
  const exec = { apiVersion: credential.apiVersion, interactiveMode: 'Never', command: 'sh', args: ['-c', script] }
  const kubeconfig = path.join(folder, 'config')
  const config = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'a', user: { exec } }],
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  await using connection = await connect({ kubeconfig })
  using asked = askRows(await pageOf(t, connection.client), {})
  const { message } = await waitFor(() => latest(asked.socket, 'error'))
  assert.match(message, /executable sh failed with exit code 3/)
})

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">\u202e\u0007javascript:alert(1)\ud800'

/** A client with one pod and one event whose every text is hostile. */
function hostile(client: Client): Client {
  const metadata = {
    name: HOSTILE,
    namespace: HOSTILE,
    uid: HOSTILE,
    resourceVersion: HOSTILE,
    creationTimestamp: HOSTILE,
    labels: { [HOSTILE]: HOSTILE, __proto__: HOSTILE, constructor: HOSTILE },
    annotations: { [HOSTILE]: HOSTILE },
    finalizers: [HOSTILE],
    ownerReferences: [{ apiVersion: HOSTILE, kind: HOSTILE, name: HOSTILE, uid: HOSTILE }],
    managedFields: [{ manager: HOSTILE, operation: HOSTILE, time: HOSTILE, fieldsType: 'FieldsV1', fieldsV1: { [HOSTILE]: {} } }],
  }
  const containers = [{ name: HOSTILE, image: HOSTILE, state: { waiting: { reason: HOSTILE, message: HOSTILE } } }]
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: HOSTILE, containers },
    status: { phase: HOSTILE, reason: HOSTILE, message: HOSTILE, podIP: HOSTILE, containerStatuses: containers },
  }
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: { kind: HOSTILE, namespace: HOSTILE, name: HOSTILE },
    type: 'Warning',
    reason: HOSTILE,
    message: HOSTILE,
    source: { component: HOSTILE, host: HOSTILE },
    lastTimestamp: new Date().toISOString(),
  }
  const own = (target: Target) =>
    target.group !== '' ? undefined : target.resource === 'pods' ? pod : target.resource === 'events' ? event : undefined
  return {
    ...client,
    list: (async (target: Target, options: object) => {
      const item = own(target)
      if (item === undefined) return client.list(target, options)
      return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [item] }
    }) as Client['list'],
    watch: (target, options) => (own(target) === undefined ? client.watch(target, options) : silence(options?.signal)),
  }
}

test('hostile text in every field of a pod and an event is shown as text, in every view', { skip }, async (t) => {
  await builtPage()
  const link = await pageOf(t, hostile(await serverOf(t)))
  await using browser = await openBrowser()
  await using tab = await browser.tab()
  await tab.page.goto(link.href)
  await shows(tab, 'onerror=')
  const name = encodeURIComponent('x')
  for (const view of [
    '/k/core/v1/pods',
    '/k/core/v1/events',
    ...['', '/history', '/events', '/relations'].map((tabOf) => `/o/core/v1/pods/${name}/${name}${tabOf}`),
  ]) {
    await tab.page.goto(new URL(view, link).href)
    await shows(tab, view.endsWith('relations') || view.endsWith('history') ? 'Relations' : 'onerror=')
    assert.equal(await tab.page.evaluate("document.querySelectorAll('img, a[href^=javascript]').length"), 0, view)
  }
  await tab.page.keyboard.press('/')
  await tab.page.keyboard.type('onerror')
  await shows(tab, 'Pod')
  assert.notEqual(await tab.page.evaluate('document.title'), 'owned')
  assert.deepEqual(tab.faults, [])
})

test('a tab that was asleep shows what has happened meanwhile', { skip }, async (t) => {
  const client = await serverOf(t)
  const link = await pageOf(t, client)
  await using browser = await openBrowser()
  await using tab = await browser.tab()
  await tab.page.goto(link.href)
  await shows(tab, 'live')
  await tab.page.goto(new URL('/k/core/v1/configmaps?ns=default', link).href)
  await shows(tab, 'configmaps')
  const session = await tab.page.context().newCDPSession(tab.page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'meanwhile' } } as const
  await client.create({ ...refs.CONFIG_MAPS, namespace: 'default' }, map)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await shows(tab, 'meanwhile')
})

test('without JavaScript the page says what to do', { skip }, async (t) => {
  const link = await pageOf(t, await serverOf(t))
  await using browser = await openBrowser()
  await using tab = await browser.tab({ javaScriptEnabled: false })
  await tab.page.goto(link.href)
  assert.match(await tab.page.content(), /needs JavaScript.*kubectl get all -A/)
})

for (const width of [640, 400])
  test(`${width} px (1,280 px at 200 % are 640): no view is wider than the window`, { skip }, async (t) => {
    const link = await pageOf(t, await serverOf(t))
    await using browser = await openBrowser()
    await using tab = await browser.tab({ width })
    await tab.page.goto(link.href)
    await shows(tab, 'Namespace')
    for (const view of ['/', '/kinds', '/k/core/v1/namespaces', '/o/core/v1/namespaces/-/default', '/lab', '/trials']) {
      await tab.page.goto(new URL(view, link).href)
      await shows(tab, 'Overview')
      assert.ok(await tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), view)
    }
    assert.deepEqual(tab.faults, [])
  })

/** Why a pod is pending, what would help, the queue, and what controllers do, in headless Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import {
  axeFindings,
  builtPage,
  click,
  openBrowser,
  screenshot,
  shows,
  skipWithoutBrowser,
  type Tab,
  type TestBrowser,
  until,
} from './browser.ts'

const skip = skipWithoutBrowser()
const here = { namespace: 'default' }

let cluster: Cluster
let browser: TestBrowser
let link = ''

const picky = (name: string): Pod => ({ ...pod(name), spec: { ...pod(name).spec, nodeSelector: { disk: name } } })

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 3, trails: true })
  const client = cluster.client()
  await client.create({ ...refs.DEPLOYMENTS, ...here }, deployment('web', { replicas: 3 }))
  await waitFor(async () => {
    const { items } = await client.list(refs.PODS)
    return items.filter(({ status }) => status?.phase === 'Running').length === 3
  })
  await client.create({ ...refs.PODS, ...here }, picky('ssd'))
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

const at = (tab: Tab, path: string) => tab.page.goto(new URL(path, link).href)

async function looked(tab: Tab, name: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await shows(tab, text)
  await screenshot(tab.page, name)
  assert.deepEqual(await axeFindings(tab.page), [], name)
}

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 400],
] as const)
  test(`why, the queue and controllers, without findings of axe or faults of the console (${colorScheme}, ${width})`, {
    skip,
  }, async () => {
    await using tab = await browser.tab({ colorScheme, width })
    await tab.page.goto(link)
    await shows(tab, 'ssd')
    await at(tab, '/k/bowsprit.dev/v1/queuereports')
    await looked(tab, `queue-${colorScheme}`, 'ssd', 'Unschedulable')
    await tab.page.keyboard.press('Enter')
    await looked(tab, `why-${colorScheme}`, 'It waits for an event that may let it in', 'label node node-1 disk=ssd', '✗', 'NodeAffinity')
    await at(tab, '/k/bowsprit.dev/v1/controllerreports?q=deployment')
    await looked(tab, `controllers-${colorScheme}`, 'deployment-controller', 'kube-controller-manager')
    await tab.page.keyboard.press('Enter')
    await looked(tab, `controller-${colorScheme}`, 'of kube-controller-manager', 'default/web', 'create replicasets.apps default/web-')
    assert.deepEqual(tab.faults, [])
  })

test('a change is tried on a fork, and then made', { skip }, async () => {
  const client = cluster.client()
  await client.create({ ...refs.PODS, ...here }, picky('nvme'))
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  await at(tab, '/o/core/v1/pods/default/nvme/why')
  await shows(tab, 'label node node-1 disk=nvme')
  await click(tab, 'Try on a fork')
  await shows(tab, 'the pod runs, on node node-')
  await screenshot(tab.page, 'why-fork')
  assert.deepEqual(await axeFindings(tab.page), [])
  const pending = await client.get({ ...refs.PODS, ...here, name: 'nvme' })
  assert.equal(pending.spec.nodeName, undefined, 'the cluster itself is as it was')
  await click(tab, 'Do it')
  await shows(tab, 'Done.')
  await waitFor(async () => (await client.get({ ...refs.PODS, ...here, name: 'nvme' })).spec.nodeName)
  await shows(tab, '← here')
  assert.deepEqual(tab.faults, [])
})

test('a page that is read-only shows why, and changes nothing', { skip }, async () => {
  const other = await startCluster({ nodes: 1, trails: true })
  try {
    const client = other.client()
    await waitFor(() => client.create({ ...refs.PODS, ...here }, picky('ssd')).catch(() => undefined))
    await using tab = await browser.tab()
    await tab.page.goto(await other.page({ readOnly: true }))
    await shows(tab, 'ssd')
    await tab.page.goto(new URL('/o/core/v1/pods/default/ssd/why', await other.page()).href)
    await shows(tab, 'label node node-1 disk=ssd')
    assert.equal(await tab.page.evaluate("[...document.querySelectorAll('button')].some((b) => /fork|Do it/.test(b.innerText))"), false)
  } finally {
    await other[Symbol.asyncDispose]()
  }
})

test('the lab shows how a fork differs, saves a snapshot, and throws forks away', { skip }, async () => {
  const client = cluster.client()
  await client.create(
    { ...refs.CONFIG_MAPS, ...here },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moods' }, data: { a: 'calm' } },
  )
  await using tab = await browser.tab({ colorScheme: 'dark' })
  await tab.page.goto(link)
  await shows(tab, 'live')
  await tab.page.keyboard.press('L')
  await click(tab, 'Fork the cluster')
  await shows(tab, 'as it was')
  await client.patch({ ...refs.CONFIG_MAPS, ...here, name: 'moods' }, 'merge', { data: { a: 'wild' } })
  await client.create({ ...refs.CONFIG_MAPS, ...here }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'later' } })
  await click(tab, 'Compare again')
  await shows(tab, 'ConfigMap default/later')
  await shows(tab, 'ConfigMap default/moods')
  await tab.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
  await shows(tab, 'a: wild')
  await screenshot(tab.page, 'lab')
  assert.deepEqual(await axeFindings(tab.page), [])
  await tab.page.evaluate("window.saved = ''; HTMLAnchorElement.prototype.click = function () { window.saved = this.download }")
  await click(tab, 'Save a snapshot')
  await until(tab.page, "window.saved.endsWith('.snapshot')")
  for (let left = await tab.page.evaluate<number>("document.querySelectorAll('.lab .panel').length"); left > 0; left--) {
    await click(tab, 'Throw it away')
    await until(tab.page, `document.querySelectorAll('.lab .panel').length < ${left}`)
  }
  await shows(tab, 'There are no forks')
  assert.deepEqual(tab.faults, [])
})

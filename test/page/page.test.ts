/** The page in headless Chromium, by keyboard, on a cluster with a deployment that runs and a pod that fits nowhere. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { configMap, customResourceDefinition, deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import {
  axeFindings,
  builtPage,
  CONTENT,
  openBrowser,
  screenshot,
  shows,
  skipWithoutBrowser,
  type Tab,
  type TestBrowser,
  until,
} from './browser.ts'

const skip = skipWithoutBrowser()

const lost = pod('lost')
const unschedulable: Pod = { ...lost, spec: { ...lost.spec, nodeSelector: { disk: 'ssd' } } }

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 2, trails: true })
  const client = cluster.client()
  await client.create({ ...refs.DEPLOYMENTS, namespace: 'default' }, deployment('web', { replicas: 3 }))
  await client.create({ ...refs.PODS, namespace: 'default' }, unschedulable)
  await assert.rejects(client.create({ ...refs.PODS, namespace: 'default' }, pod('Not_A_Name')))
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition({ group: 'example.com', kind: 'Gadget' }))
  await waitFor(async () => {
    const { items } = await client.list(refs.PODS)
    return items.filter(({ status }) => status?.phase === 'Running').length === 3
  })
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

const at = (tab: Tab, path: string) => tab.page.goto(new URL(path, link).href)

for (const colorScheme of ['light', 'dark'] as const)
  test(`each view has no findings of axe, no fault of the console and no report of the policy (${colorScheme})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme })
    await tab.page.goto(link)
    const look = async (name: string, ...texts: string[]) => {
      for (const text of texts) await shows(tab, text)
      await screenshot(tab.page, `${name}-${colorScheme}`)
      assert.deepEqual(await axeFindings(tab.page), [], name)
    }
    await look('overview', 'Unschedulable', 'FailedScheduling', 'Deployment', 'create pods', 'metadata.name: Invalid value')
    await at(tab, '/k/core/v1/pods')
    await look('list', 'lost', 'Running', 'node-1')
    await tab.page.keyboard.press('Enter')
    await look('yaml', 'nodeSelector:', 'Unschedulable')
    await tab.page.keyboard.press('h')
    await look('history', 'create by admin', 'spec')
    await tab.page.keyboard.press('v')
    await look('events', 'FailedScheduling')
    await at(tab, '/o/apps/v1/deployments/default/web')
    await shows(tab, 'create')
    await screenshot(tab.page, `object-${colorScheme}`)
    await tab.page.keyboard.press('J')
    await look('relations', 'ReplicaSet')
    await at(tab, '/k/bowsprit.dev/v1/requesttrails?sort=6&desc=1&q=create+deployments.apps/web')
    await look('requests', '1 of', 'admin')
    await tab.page.keyboard.press('Enter')
    await look('request', 'authenticate', 'as revision', 'deployment-controller', 'create replicasets.apps')
    await at(tab, '/k/bowsprit.dev/v1/watchreports?q=pods')
    await look('watches', 'current', 'system:kube-controller-manager')
    await tab.page.keyboard.press('K')
    await look('kinds', 'ValidatingAdmissionPolicy')
    await tab.page.keyboard.press('/')
    await tab.page.keyboard.type('deploy web')
    await look('find', 'default/web', 'request')
    await tab.page.keyboard.type(' create')
    await shows(tab, 'create deployments.apps/web -n default by admin')
    await tab.page.keyboard.press('Escape')
    await until(tab.page, "document.querySelector('dialog') === null")
    await tab.page.keyboard.press('?')
    await look('help', 'find anything')
    assert.deepEqual(tab.faults, [])
  })

test('all views by keyboard alone, at 400 pixels, in the dark: each fits, is marked in the menu, and axe finds nothing', {
  skip,
}, async () => {
  await using tab = await browser.tab({ colorScheme: 'dark', width: 400 })
  await tab.page.goto(link)
  await shows(tab, 'live')
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await tab.page.keyboard.press(key)
  }
  const look = async (name: string, ...texts: readonly string[]) => {
    for (const text of texts) await shows(tab, text)
    await screenshot(tab.page, `keyboard-${name}`)
    assert.ok(await tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits`)
    for (const place of ['.frame nav', '.tabs']) await until(tab.page, currentIsInView(place))
    assert.deepEqual(await axeFindings(tab.page), [], name)
  }
  const find = async (words: string, found: string) => {
    await press('/')
    await until(tab.page, "document.activeElement.matches('dialog input')")
    await tab.page.keyboard.type(words)
    await until(tab.page, `document.querySelector('#hits [aria-selected=true]')?.innerText.includes(${JSON.stringify(found)})`)
    await press('Enter')
    await until(tab.page, "document.querySelector('dialog') === null")
  }
  const isShown = (selector: string) => until(tab.page, `document.querySelector(${JSON.stringify(selector)}) !== null`)
  const isFocused = (selector: string) => until(tab.page, `document.activeElement.matches(${JSON.stringify(selector)})`)

  /** A key of a part is one of the object's view, which a list or a search opens a moment later. */
  const openPart = async (key: string, part: string) => {
    await until(tab.page, `document.querySelector('.tabs')?.innerText.includes(${JSON.stringify(part)})`)
    await press(key)
  }

  await look('overview', 'Unschedulable')
  await press('j')
  await isFocused('.overview li a')
  await press('Enter')
  await look('yaml', 'nodeSelector:')
  await press('G')
  await until(tab.page, "document.querySelector('.yaml .virtual').scrollTop > 0")
  await openPart('w', 'Why')
  await look('why', 'label node', 'NodeAffinity')
  await openPart('e', 'Edit')
  await until(tab.page, `${CONTENT}?.innerText.includes('disk')`)
  await look('edit')
  await tab.page.evaluate(`${CONTENT}.focus()`)
  await press('Escape')
  await until(tab.page, "document.activeElement === document.body && location.pathname.endsWith('/edit')")
  await openPart('h', 'History')
  await look('history', 'create by admin')
  await openPart('v', 'Events')
  await look('events', 'FailedScheduling')
  await press('?')
  await until(tab.page, "document.activeElement.matches('.keys') && document.querySelector('dialog').scrollTop === 0")
  await look('keys', 'find anything')
  await press('Escape')
  await until(tab.page, "document.querySelector('dialog') === null && location.pathname.endsWith('/events')")
  await press('u')
  await look('pods', 'Running')
  await press('G', 'k', 'l')
  await look('logs', 'lines')
  await press('s')
  await isFocused('main button.primary')
  await look('shell', 'Run sh in')
  await press('Enter')
  await until(tab.page, "document.querySelector('iframe') !== null")
  await tab.page.goto(new URL('/o/apps/v1/deployments/default/web', link).href)
  await shows(tab, 'replicas')
  await openPart('J', 'Relations')
  await look('relations', 'ReplicaSet')
  await press('G', 'Enter')
  await shows(tab, 'nodeName')
  await find('node node-1', 'node-1')
  await openPart('m', 'Machine')
  await look('machine', 'Allocatable')
  await find('Requests', 'Requests')
  await look('requests', 'create')
  assert.equal(await tab.page.evaluate("document.querySelector('.rows').innerText.includes('patch leases')"), false)
  await press('Enter')
  await look('request', 'authenticate')
  for (const [name, ...texts] of [
    ['Scheduling', 'lost'],
    ['Controllers', 'deployment-controller'],
    ['Watches', 'current'],
  ] as const) {
    await find(name, name)
    await look(name.toLowerCase(), ...texts)
  }
  await press('K')
  await isShown('.kinds')
  await press('f')
  await isFocused('main input')
  await tab.page.keyboard.type('gadget')
  await press('Escape')
  await look('kinds', 'Gadget')
  await press('j')
  await isFocused('.kinds li a')
  await find('customresourcedefinition gadgets', 'gadgets.example.com')
  await openPart('b', 'Workbench')
  await look('workbench', 'the server would store it')
  await press('L')
  await look('lab', 'Fork the cluster')
  await press('T')
  await look('trials', 'or drop it here')
  await press('@')
  await look('past', 'Show it')
  await press('Escape')
  await until(tab.page, "document.querySelector('dialog') === null")
  await press('[')
  await shows(tab, 'Fork the cluster')
  assert.deepEqual(tab.faults, [])
})

/** The current link of a menu, if there is one, is in the part that is seen. */
const currentIsInView = (menu: string) => `(() => {
  const nav = document.querySelector(${JSON.stringify(menu)})
  const link = nav?.querySelector('[aria-current]')?.getBoundingClientRect()
  const { left, right } = nav?.getBoundingClientRect() ?? {}
  return link === undefined || (link.left >= left - 1 && link.right <= right + 1)
})()`

test('the key leaves the address at once, and no cookie is set', { skip }, async () => {
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  assert.equal(tab.page.url(), new URL('/', link).href)
  assert.equal(await tab.page.evaluate('document.cookie'), '')
})

test('a tab without the key says what to do', { skip }, async () => {
  await using tab = await browser.tab()
  await at(tab, '/')
  await shows(tab, 'Open the link')
})

test('rows follow the cluster: created, changed, deleted', { skip }, async () => {
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  await at(tab, '/k/core/v1/configmaps?ns=default')
  await shows(tab, 'kube-root-ca.crt')
  const client = cluster.client()
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'colours' }, data: { a: '1' } })
  await shows(tab, 'colours')
  await tab.page.keyboard.press('f')
  await tab.page.keyboard.type('colours')
  await shows(tab, '1 of 2')
  assert.match(tab.page.url(), /q=colours/)
  await client.delete({ ...target, name: 'colours' })
  await until(tab.page, "!document.querySelector('.rows').innerText.includes('colours')")
  assert.deepEqual(tab.faults, [])
})

test('an object that is changed and deleted while it is looked at', { skip }, async () => {
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  const client = cluster.client()
  await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moods' }, data: { today: 'calm' } })
  await at(tab, '/o/core/v1/configmaps/default/moods')
  await shows(tab, 'today: calm')
  await client.patch({ ...target, name: 'moods' }, 'merge', { data: { today: 'wild' } }, { fieldManager: 'weather' })
  await shows(tab, 'today: wild')
  await shows(tab, 'weather')
  await shows(tab, 'patch 0s')
  await tab.page.keyboard.press('h')
  await shows(tab, 'as weather')
  await shows(tab, '"wild"')
  await at(tab, '/o/core/v1/configmaps/default/moods/history?field=data.today')
  await shows(tab, 'data.today')
  assert.equal(await tab.page.evaluate("document.querySelectorAll('.revision').length"), 2)
  await client.delete({ ...target, name: 'moods' })
  await shows(tab, 'It has been deleted')
  assert.deepEqual(tab.faults, [])
})

test('hostile texts in every field are shown as text', { skip }, async () => {
  const script = '<img src=x onerror="document.title=\'owned\'">'
  const client = cluster.client()
  const target = { ...refs.CONFIG_MAPS, namespace: 'default' }
  const annotations = { 'example.com/a': script, 'example.com/b': 'left\u202eright', 'example.com/c': 'javascript:alert(1)' }
  const data = { __proto__: null, constructor: script, 'a.html': `${script}\n\u0007${'long'.repeat(10_000)}` } as never
  await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hostile', annotations }, data })
  const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'hostile' }
  const event = {
    metadata: { name: 'hostile.1' },
    involvedObject: about,
    reason: script,
    message: script,
    type: 'Warning',
    reportingComponent: script,
  }
  await client.create({ ...refs.CORE_EVENTS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Event', ...event } as never)
  await assert.rejects(client.create(target, configMap(script)), /Invalid value/)
  const keys = [{ key: script, state: 'waiting', failures: 1, error: script }]
  const plan = [{ step: 'apply', kind: script, name: script }]
  const writes = [{ verb: script, version: script, resource: script, name: script, error: script }]
  const recent = [{ key: script, time: '2026-01-01T00:00:00Z', error: script, plan, writes }]
  const report = { working: 0, waiting: 1, delayed: 0, failing: 1, reconciled: 1, failed: 1, workers: 1, keys, recent }
  const reports = { group: 'bowsprit.dev', version: 'v1', resource: 'controllerreports' }
  const operator = { apiVersion: 'bowsprit.dev/v1', kind: 'ControllerReport', metadata: { name: 'hostile' }, ...report }
  await client.create(reports, operator as never)
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'onerror=')
  await at(tab, '/k/core/v1/events')
  await shows(tab, 'onerror=')
  await at(tab, '/o/core/v1/configmaps/default/hostile')
  await shows(tab, 'left\\u202eright')
  await shows(tab, 'characters)')
  await at(tab, '/o/core/v1/configmaps/default/hostile/events')
  await shows(tab, 'onerror=')
  await at(tab, '/o/bowsprit.dev/v1/controllerreports/-/hostile')
  await shows(tab, 'onerror=')
  await at(tab, '/k/bowsprit.dev/v1/requesttrails?q=onerror')
  await shows(tab, '1 of')
  await tab.page.keyboard.press('Enter')
  await shows(tab, 'onerror=')
  assert.equal(await tab.page.evaluate("document.querySelectorAll('img, a[href^=javascript]').length"), 0)
  assert.notEqual(await tab.page.evaluate('document.title'), 'owned')
  assert.deepEqual(tab.faults, [])
})

test('a cluster that ends is told, and what was shown stays', { skip }, async () => {
  const other = await startCluster({ nodes: 0 })
  await using tab = await browser.tab()
  await tab.page.goto(await other.page())
  await shows(tab, 'ConfigMap')
  await other[Symbol.asyncDispose]()
  await shows(tab, 'The connection was lost')
  await shows(tab, 'ConfigMap')
})

/** The page with the rights of another user, in headless Chromium. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { ROLE_BINDINGS, ROLES } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { axeFindings, builtPage, click, openBrowser, screenshot, shows, skipWithoutBrowser, type TestBrowser, until } from './browser.ts'

const skip = skipWithoutBrowser()
const ACCOUNT = 'system:serviceaccount:default:reader'
const here = { namespace: 'default' }

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 1, trails: true })
  const client = cluster.client()
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  await client.create(
    { ...ROLES, ...here },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader' }, rules },
  )
  await client.create(
    { ...ROLE_BINDINGS, ...here },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    },
  )
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

test('a tab shows what a service account may see, and says what it may not', { skip }, async () => {
  await using tab = await browser.tab({ colorScheme: 'dark' })
  await tab.page.goto(link)
  await shows(tab, 'live')
  await click(tab, 'view as')
  await until(tab.page, "document.activeElement?.closest('dialog') !== null")
  assert.deepEqual(await axeFindings(tab.page), [])
  await tab.page.keyboard.type(ACCOUNT)
  await tab.page.keyboard.press('Enter')
  await shows(tab, `as ${ACCOUNT}`)
  await tab.page.goto(new URL('/k/core/v1/configmaps?ns=default', link).href)
  await shows(tab, 'kube-root-ca.crt')
  await tab.page.goto(new URL('/k/core/v1/secrets', link).href)
  await shows(tab, 'cannot list resource')
  await screenshot(tab.page, 'view-as')
  assert.deepEqual(await axeFindings(tab.page), [])
  await tab.page.goto(new URL('/lab', link).href)
  await shows(tab, 'no lab')
  await using other = await browser.tab()
  await other.page.goto(link)
  await shows(other, 'view as')
  assert.deepEqual(tab.faults, [])
})

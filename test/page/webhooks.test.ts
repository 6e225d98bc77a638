/** What those who extend a cluster see in headless Chromium: webhooks that change and refuse, and an operator's plan and writes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import * as refs from '../../src/resources/refs.ts'
import { CONFIG_MAP, SECRET } from '../../src/sdk/kinds/builtin-kinds.ts'
import { controller, createManager, createWebhookServer, type WebhookServer } from '../../src/sdk/sdk.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { axeFindings, builtPage, openBrowser, screenshot, shows, skipWithoutBrowser, type Tab, type TestBrowser } from './browser.ts'

const skip = skipWithoutBrowser()
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })

/** Each config map with an `owner` has a secret; one that is `broken` fails. */
const secrets = controller({
  for: CONFIG_MAP,
  name: 'secrets',
  owns: [SECRET],
  reconcile: ({ object: { metadata, data } }) => {
    if (data?.broken !== undefined) throw new Error('it is broken')
    if (data?.owner === undefined) return undefined
    return { children: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${metadata.name}-s` } }], requeueAfterMs: 60_000 }
  },
})

/** Config maps get a team; `forbidden` ones are refused. */
async function openWebhooks(): Promise<WebhookServer> {
  const server = createWebhookServer({
    tls: { cert: certificates.serving.certificate, key: certificates.serving.key },
    mutate: ({ object }) => (object ? { ...object, metadata: { ...object.metadata, labels: { team: 'blue' } } } : undefined),
    validate: ({ object }) => (object?.metadata.name === 'forbidden' ? 'this name is taken by the house' : undefined),
  })
  const url = await server.listen(0)
  const hook = (name: string, path: string) => ({
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None' as const,
    clientConfig: { url: `${url}${path}`, caBundle: Buffer.from(certificates.ca.certificate).toString('base64') },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] as const, resources: ['configmaps'] }],
  })
  const api = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'house' } } as const
  const client = cluster.client()
  await client.create(refs.MUTATING_WEBHOOK_CONFIGURATIONS, {
    ...api,
    kind: 'MutatingWebhookConfiguration',
    webhooks: [hook('team.example.com', '/mutate')],
  })
  await client.create(refs.VALIDATING_WEBHOOK_CONFIGURATIONS, {
    ...api,
    kind: 'ValidatingWebhookConfiguration',
    webhooks: [hook('house.example.com', '/validate')],
  })
  return server
}

let cluster: Cluster
let webhooks: WebhookServer
let browser: TestBrowser
let link = ''
const stop = new AbortController()
let operator: Promise<void>

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 0, trails: true })
  operator = createManager({ client: cluster.client(), controllers: [secrets], reports: true }).run(stop.signal)
  webhooks = await openWebhooks()
  const client = cluster.client()
  await waitFor(async () => {
    await client.create(MAPS, configMap('web', { owner: 'ann' }))
    return true
  })
  await client.create(MAPS, configMap('bad', { broken: 'yes' }))
  await assert.rejects(client.create(MAPS, configMap('forbidden')), /taken by the house/)
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  stop.abort()
  await operator
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
  await webhooks?.[Symbol.asyncDispose]()
})

async function looked(tab: Tab, name: string, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await shows(tab, text)
  await screenshot(tab.page, name)
  assert.deepEqual(await axeFindings(tab.page), [], name)
}

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 400],
] as const)
  test(`webhooks that change and refuse, and the plan and writes of an operator (${colorScheme}, ${width})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme, width })
    const at = (path: string) => tab.page.goto(new URL(path, link).href)
    await tab.page.goto(link)
    await looked(tab, `refused-${colorScheme}`, 'create configmaps', 'this name is taken by the house', 'failing: 1')
    await at('/k/bowsprit.dev/v1/requesttrails?sort=6&desc=1&q=create+configmaps/web')
    await shows(tab, '1 of')
    await tab.page.keyboard.press('Enter')
    await looked(tab, `mutated-${colorScheme}`, 'team.example.com', 'metadata.labels', 'blue', 'house.example.com')
    await at('/k/bowsprit.dev/v1/requesttrails?sort=6&desc=1&q=house.example.com')
    await shows(tab, '1 of')
    await tab.page.keyboard.press('Enter')
    await looked(tab, `refusal-${colorScheme}`, 'house.example.com', 'refused', 'taken by the house')
    await at('/o/bowsprit.dev/v1/controllerreports/-/secrets')
    await looked(
      tab,
      `operator-${colorScheme}`,
      'apply Secret default/web-s',
      'again after 60s',
      'patch secrets default/web-s',
      'it is broken',
    )
    assert.deepEqual(tab.faults, [])
  })

/** A node with a described machine, in headless Chromium: NUMA nodes, processors, memory, devices, and who has them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { NodeReport } from '../../src/resources/bowsprit/node-report.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { axeFindings, builtPage, click, openBrowser, screenshot, shows, skipWithoutBrowser, type TestBrowser } from './browser.ts'

const skip = skipWithoutBrowser()
const MACHINE = { apiVersion: 'bowsprit.dev/v1', kind: 'Machine', sockets: 2, coresPerNumaNode: 4, memoryPerNumaNode: '8Gi' }
const KUBELET = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  cpuManagerPolicy: 'static',
  reservedSystemCPUs: '0',
  topologyManagerPolicy: 'single-numa-node',
}
const DEVICES = [
  { resource: 'example.com/gpu', count: 2, numaNode: 1 },
  { resource: 'example.com/nowhere', count: 1 },
]
const near: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'near', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'app', resources: { limits: { cpu: '2', memory: '1Gi', 'example.com/gpu': '1' } } }] },
}

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  cluster = await startCluster({ nodes: 1, machine: MACHINE, kubeletConfig: KUBELET, devices: { devices: DEVICES } })
  const client = cluster.client()
  await waitFor(async () => (await client.get({ ...NODES, name: 'node-1' })).status?.allocatable?.['example.com/gpu'] === '2')
  await client.create({ ...PODS, namespace: 'default' }, near)
  await waitFor(async () => (await client.get({ ...PODS, namespace: 'default', name: 'near' })).status?.phase === 'Running')
  if (skip !== false) return
  await builtPage()
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

test('a node reports which pod has which part of its machine', async () => {
  const client = cluster.client()
  const report = await client.get<NodeReport>({ group: 'bowsprit.dev', version: 'v1', resource: 'nodereports', name: 'node-1' })
  const cpus = report.numaNodes.map(({ cpus: all }) => all.filter(({ pod }) => pod === 'default/near').length)
  assert.deepEqual(cpus, [0, 2], 'its processors are where its device is')
  assert.equal(report.numaNodes[0]?.cpus[0]?.use, 'reserved')
  const [gpus] = report.numaNodes[1]?.devices ?? []
  assert.deepEqual([gpus?.resource, gpus?.total, gpus?.free], ['example.com/gpu', 2, 1])
  assert.equal(gpus?.devices.filter(({ pod }) => pod === 'default/near').length, 1)
  assert.deepEqual(
    report.devices.map(({ resource }) => resource),
    ['example.com/nowhere'],
  )
  const unknown = client.get({ group: 'bowsprit.dev', version: 'v1', resource: 'nodereports', name: 'node-9' })
  await assert.rejects(unknown, /nodes "node-9" not found/)
})

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 400],
] as const)
  test(`the machine of a node, and the parts of a chosen pod (${colorScheme}, ${width})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme, width })
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/o/core/v1/nodes/-/node-1/machine', link).href)
    await shows(tab, 'NUMA node 1')
    await shows(tab, '2 processors')
    await shows(tab, '1 of 2 free')
    await click(tab, 'mark its parts')
    await shows(tab, 'merged')
    await screenshot(tab.page, `machine-${colorScheme}`)
    assert.equal(await tab.page.evaluate("document.querySelectorAll('.numa .chosen').length"), 3)
    assert.deepEqual(await axeFindings(tab.page), [])
    assert.deepEqual(tab.faults, [])
  })

/**
 * `bowsprit page` with Kubernetes' own kube-apiserver: lists, an object, the editor, logs, a shell, an earlier revision, and what it does
 * not have. Its one node is the kubelet of a cluster of ours. Skipped unless `KUBE_APISERVER` is the path of the program.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'
import {
  axeFindings,
  builtPage,
  CONTENT,
  click,
  openBrowser,
  replace,
  screenshot,
  shows,
  skipWithoutBrowser,
  type Tab,
  type TestBrowser,
  until,
} from './browser.ts'

const KUBE_APISERVER = process.env.KUBE_APISERVER ?? ''
const ETCD = process.env.ETCD ?? '/usr/bin/etcd'
const missing = [KUBE_APISERVER, ETCD].find((file) => !existsSync(file))
const skip = missing === undefined ? skipWithoutBrowser() : 'KUBE_APISERVER and ETCD name no programs'
const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-real-server-'))
const inFolder = (name: string) => path.join(folder, name)
const running: ChildProcess[] = []

/** Runs a program until the end of the tests; `onOut` gets its whole output so far. */
function run(program: string, args: readonly string[], onOut?: (out: string) => void): void {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  running.push(child)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    onOut?.(out)
  })
}

const talker: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'talker', namespace: 'default', labels: { step: 'one' } },
  spec: {
    nodeName: 'node-1',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo hello from the kubelet; sleep 100000'] }],
  },
}

let nodes: Cluster
let client: Client
let browser: TestBrowser
let link = ''

/** The API server, whose clients are all permitted everything, with the client certificate of our cluster towards kubelets. */
async function startServer(): Promise<void> {
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()]
  const etcd = `http://127.0.0.1:${etcdPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  run(ETCD, [
    ...['--data-dir', inFolder('etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ])
  await nodes.listen()
  const pem = (field: string) => Buffer.from(new RegExp(`${field}: (\\S+)`).exec(nodes.kubeconfig())?.[1] ?? '', 'base64').toString()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(inFolder('account.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  writeFileSync(inFolder('client.crt'), pem('client-certificate-data'))
  writeFileSync(inFolder('client.key'), pem('client-key-data'))
  writeFileSync(inFolder('tokens.csv'), 'secret,admin,admin-uid,"system:masters"\n')
  run(KUBE_APISERVER, [
    ...[`--etcd-servers=${etcd}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${inFolder('certificates')}`],
    ...['--authorization-mode=AlwaysAllow', `--token-auth-file=${inFolder('tokens.csv')}`, '--disable-admission-plugins=ServiceAccount'],
    ...['--service-account-issuer=https://x', `--service-account-key-file=${inFolder('account.key')}`],
    ...[`--service-account-signing-key-file=${inFolder('account.key')}`, '--service-cluster-ip-range=10.0.0.0/24'],
    ...[`--kubelet-client-certificate=${inFolder('client.crt')}`, `--kubelet-client-key=${inFolder('client.key')}`],
    '--kubelet-preferred-address-types=InternalIP',
  ])
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true }
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'c', user: { token: 'secret' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  }
  writeFileSync(inFolder('kubeconfig'), JSON.stringify(kubeconfig))
  client = createClient(httpsTransport(await loadKubeconfigFile(inFolder('kubeconfig'))))
  await waitFor(async () => (await client.list(refs.NAMESPACES)).items.some(({ metadata }) => metadata.name === 'default'), {
    timeoutMs: 60_000,
  })
}

/** The same node and pod on both sides: the API server asks the kubelet of ours for what happens in it. */
async function startPod(): Promise<void> {
  const target = { ...refs.PODS, namespace: 'default' }
  await waitFor(() =>
    nodes
      .client()
      .create(target, talker)
      .catch(() => undefined),
  )
  const { status } = await waitFor(async () => {
    const found = await nodes.client().get({ ...target, name: 'talker' })
    return found.status?.phase === 'Running' ? found : undefined
  })
  const { status: ofNode } = await nodes.client().get({ ...refs.NODES, name: 'node-1' })
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } }
  await client.create(refs.NODES, node)
  await client.patch({ ...refs.NODES, name: 'node-1', subresource: 'status' }, 'merge', { status: ofNode })
  await client.create(target, talker)
  await client.patch({ ...target, name: 'talker', subresource: 'status' }, 'merge', { status })
}

before(async () => {
  if (skip !== false) return
  await builtPage()
  nodes = await startCluster({ nodes: 1, kubeletPorts: true })
  await startServer()
  await startPod()
  run(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'page', '--kubeconfig', inFolder('kubeconfig')], (out) => {
    link = /^page {2}(\S+)$/m.exec(out)?.[1] ?? ''
  })
  await waitFor(() => link)
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  for (const child of running) {
    // kube-apiserver waits for etcd, which is ending, too.
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await nodes?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function opened(address: string): Promise<Tab> {
  const tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  await tab.page.goto(new URL(address, link).href)
  return tab
}

async function isClean(tab: Tab, name: string): Promise<void> {
  await screenshot(tab.page, `real-${name}`)
  assert.deepEqual(await axeFindings(tab.page), [], name)
  assert.deepEqual(tab.faults, [], name)
}

const POD = '/o/core/v1/pods/default/talker'
const SCREEN = "document.querySelector('iframe')?.contentDocument?.querySelector('.xterm-rows')?.innerText ?? ''"

test('the log of a container, and a shell in it', { skip }, async () => {
  await using tab = await opened(`${POD}/logs`)
  await shows(tab, 'hello from the kubelet')
  await isClean(tab, 'logs')
  await tab.page.keyboard.press('s')
  await click(tab, 'Run sh in talker')
  await until(tab.page, `(${SCREEN}).includes('#')`)
  await tab.page.keyboard.type('echo six times seven is $((6 * 7))')
  await tab.page.keyboard.press('Enter')
  await until(tab.page, `(${SCREEN}).replaceAll('\\u00a0', ' ').includes('seven is 42')`)
  await isClean(tab, 'shell')
})

test('the object is edited; the revision before is still shown', { skip }, async () => {
  await using tab = await opened(`${POD}/edit`)
  await until(tab.page, `${CONTENT}?.innerText.includes('step: one')`)
  const { resourceVersion = '' } = (await client.get({ ...refs.PODS, namespace: 'default', name: 'talker' })).metadata
  await replace(tab, 'step: one', 'step: two')
  await shows(tab, 'step: two')
  await tab.page.keyboard.press('Control+s')
  await waitFor(async () => (await client.get({ ...refs.PODS, namespace: 'default', name: 'talker' })).metadata.labels?.step === 'two')
  await tab.page.goto(new URL(POD, link).href)
  await shows(tab, 'step: two')
  await shows(tab, 'bowsprit-page')
  await tab.page.goto(new URL(`${POD}?at=${resourceVersion}`, link).href)
  await shows(tab, 'step: one')
  await shows(tab, `as it was at revision ${resourceVersion}`)
  await isClean(tab, 'past')
})

test('what only Bowsprit has says so', { skip }, async () => {
  await using tab = await opened('/')
  await shows(tab, 'Node')
  await isClean(tab, 'overview')
  for (const [address, text] of [
    ['/k/bowsprit.dev/v1/requesttrails', 'bowsprit.dev'],
    [`${POD}/history`, 'by bowsprit up'],
    ['/lab', 'simulated'],
    [`${POD}/why`, 'scheduler'],
    ['/o/core/v1/nodes/-/node-1/machine', 'talker'],
  ] as const) {
    await tab.page.goto(new URL(address, link).href)
    await shows(tab, text)
    await isClean(tab, address.replaceAll('/', '-'))
  }
})

/** The released metrics-server, from its Go module: it scrapes the kubelets of simulated nodes, and serves `kubectl top`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'
import { goPrograms } from '../go-program.ts'
import { runProgram } from '../run-program.ts'

const API_SERVICE = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', name: 'v1beta1.metrics.k8s.io' } as const

test('metrics-server measures simulated nodes through their kubelets', { timeout: 600_000 }, async (t) => {
  const { bin, why } = await goPrograms('metrics-server')
  if (why !== undefined) return t.skip(why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-metrics-server-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster({ nodes: 2, kubeletPorts: true })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const client = cluster.client()
  const annotations = { 'simulated.bowsprit.dev/cpu': '100m', 'simulated.bowsprit.dev/memory': '64Mi' }
  await waitFor(() => client.create({ ...PODS, namespace: 'default' }, pod('busy', { metadata: { annotations } })))

  const port = await freePort()
  const config = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`)
  const kubelets = ['--kubelet-use-node-status-port', '--kubelet-insecure-tls', '--kubelet-preferred-address-types=InternalIP']
  const serving = [`--secure-port=${port}`, `--cert-dir=${folder}`, '--metric-resolution=10s', '--kubelet-request-timeout=8s']
  const server = spawn(path.join(bin, 'metrics-server'), [...config, ...kubelets, ...serving], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => server.kill('SIGKILL'))
  let said = ''
  server.stderr.on('data', (text) => {
    said = (said + text).slice(-20_000)
  })

  const SERVICES = { group: '', version: 'v1', resource: 'services', namespace: 'kube-system' }
  const local = { 'bowsprit.dev/local-port': String(port) }
  await client.create(
    SERVICES,
    service('metrics-server', {}, { metadata: { namespace: 'kube-system', annotations: local }, spec: { ports: [{ port: 443 }] } }),
  )
  const behind = { service: { namespace: 'kube-system', name: 'metrics-server', port: 443 }, insecureSkipTLSVerify: true }
  await client.patch(API_SERVICE, 'merge', { spec: behind })

  const top = async (...args: string[]) => {
    const { code, out } = await runProgram(kubectlPath(), ['top', ...args], { env: { KUBECONFIG: kubeconfig, HOME: folder } })
    return code === 0 ? out : ''
  }
  const pods = await waitFor(async () => /^busy .*$/m.exec(await top('pods'))?.[0], { timeoutMs: 240_000 }).catch((error) => {
    throw new Error(`${error}\n${said}`)
  })
  const [, cores, memory] = pods.split(/ +/)
  assert.equal(memory, '64Mi')
  assert.ok(Math.abs(Number.parseInt(cores ?? '', 10) - 100) <= 10, pods)
  const nodes = await waitFor(async () => {
    const lines = (await top('nodes', '--no-headers')).trim().split('\n')
    return lines.length === 2 && lines
  })
  assert.deepEqual(nodes.map((line) => line.split(/ +/)[0]).sort(), ['node-1', 'node-2'])
  // The figures are metrics-server's: the built-in server has a fixed window of 15 seconds.
  const { window } = (await client.page('/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/busy')).value as { window: string }
  assert.notEqual(window, '15s')
})

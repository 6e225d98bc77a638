/** The tests of `walked.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { serveCsiDriver } from '../../src/sdk/csi/serve-csi-driver.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'
import { folderDriver } from './csi/folder-driver.ts'
import { findRuntime } from './found-runtime.ts'
import { runOnNode } from './in-pod.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { blockWith } from './page-blocks.ts'
import { writeKubeletConfig } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found, { network: false })
const NODE = '192.0.2.11'
/** What the pages call by its usual place. */
const CNI = '/etc/cni/net.d'
const programs = path.join(folder, 'bin')
const kubectl = kubectlPath()
const kubeconfig = path.join(folder, 'kubeconfig')
const MAIN = path.join(import.meta.dirname, '../../src/cli/main.ts')

/** `bowsprit` and `kubectl` as a reader has them, but for this machine's disk, ports and images, which no registry has. */
function installPrograms(): NodeJS.ProcessEnv {
  const config = writeKubeletConfig(folder, machine)
  const up = `--ephemeral --port 0 --no-page --kubeconfig ${kubeconfig} --kubelet-config ${config}`
  const bowsprit = `${process.execPath} --disable-warning=ExperimentalWarning ${MAIN}`
  const scripts = {
    bowsprit: `case "$1" in up) shift; exec ${bowsprit} up ${up} "$@";; *) exec ${bowsprit} "$@";; esac`,
    kubectl: `case "$1" in run) shift; exec ${kubectl} run --image-pull-policy=IfNotPresent "$@";; *) exec ${kubectl} "$@";; esac`,
  }
  mkdirSync(programs)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(programs, name), 0o755)
  }
  mkdirSync(CNI, { recursive: true })
  execFileSync('mount', ['--bind', machine.cniFolder, CNI])
  return { ...process.env, PATH: `${programs}:${process.env.PATH}`, KUBECONFIG: kubeconfig }
}

const env = installPrograms()
/** What ends with the tests. */
const started: ChildProcess[] = []
const log = path.join(folder, 'bowsprit.log')
const sh = (script: string) => runProgram('sh', ['-ec', script], { env: env as Record<string, string> })

/** The output of a command that works. */
async function shown(script: string): Promise<string> {
  const { code, out, err } = await sh(script)
  assert.equal(code, 0, `${script}: ${err}\n${readFileSync(log, 'utf8').slice(-2000)}`)
  return out
}

async function soon(script: string, wanted: RegExp): Promise<void> {
  let last = ''
  const matches = async () => {
    last = (await sh(script)).out
    return wanted.test(last)
  }
  await waitFor(matches, { timeoutMs: 60_000 }).catch(() => assert.match(last, wanted, script))
}

const apply = (object: object) => shown(`kubectl apply -f - <<'X'\n${JSON.stringify(object)}\nX`)
const yamlOf = <T>(text: string) => decodeYaml(text).value as unknown as T
const ready = (name: string) => shown(`kubectl wait --for=condition=Ready pod/${name} --timeout=60s`)

/** A pod of a page with an image that is here. */
function withImage(pod: Pod, command: readonly string[]): Pod {
  const containers = pod.spec.containers.map((one) => ({ ...one, image, command: [...command] }))
  return { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 0, containers } }
}

test('from nothing to a pod', async () => {
  const out = openSync(log, 'a')
  const up = blockWith('real-nodes.md', 'sh', 'bowsprit up --nodes 1')
  started.push(spawn('sh', ['-c', `exec ${up}`], { env, stdio: ['ignore', out, out] }))
  await soon('kubectl get nodes', / Ready /)
  const [run = '', logs = '', exec = '', remove = ''] = blockWith('real-nodes.md', 'sh', 'kubectl run hello').trim().split('\n')
  await soon('kubectl get serviceaccounts default', /default/)
  await shown(run)
  await ready('hello')
  assert.equal(await shown(logs), 'hello\n')
  assert.match(await shown(exec), /^10\.244\.\d+\.\d+\thello$/m)
  await shown(remove)
})

test('a port of the node reaches a pod; its limit is seen by tc, and by a transfer that is longer than the burst', async () => {
  const page = yamlOf<Pod>(blockWith('real-nodes.md', 'yaml', 'ingress-bandwidth'))
  const labelled = { ...page, metadata: { ...page.metadata, labels: { app: 'other' } } }
  const serve = 'netexec --http-port=80 & nc -ll -p 9000 -e sh -c "cat > /dev/null"'
  await apply(withImage(labelled, ['sh', '-c', serve]))
  await ready('web')
  await soon(`curl -sm 5 http://${NODE}:8080/hostname`, /^web$/)
  assert.match((await runOnNode('tc qdisc show')).out, /tbf .*rate 10Mbit/)
  const limited = async () => Number(/tbf[\s\S]*?overlimits (\d+)/.exec((await runOnNode('tc -s qdisc show')).out)?.[1] ?? 0)
  assert.equal(await limited(), 0, 'the burst passes')
  const ip = (await shown("kubectl get pod web -o jsonpath='{.status.podIP}'")).trim()
  const transfer = spawn('sh', ['-c', `head -c 300M /dev/zero | busybox nc ${ip} 9000`], { detached: true, stdio: 'ignore' })
  await waitFor(async () => (await limited()) > 0, { timeoutMs: 60_000 })
  if (transfer.pid !== undefined) process.kill(-transfer.pid)
})

test('a policy blocks, and allows', async () => {
  await shown(blockWith('real-nodes.md', 'sh', 'kubectl run stranger'))
  const [address = '', stranger = '', friend = ''] = blockWith('real-nodes.md', 'sh', 'kubectl exec stranger').trim().split('\n')
  const answer = (client: string) => `${address}; ${client} || echo blocked`
  await soon(answer(stranger), /^server$/m)
  await shown(`kubectl apply -f - <<'X'\n${blockWith('real-nodes.md', 'yaml', 'kind: NetworkPolicy')}\nX`)
  await soon(answer(stranger), /^blocked$/m)
  await soon(answer(friend), /^server$/m)
  await shown('kubectl delete networkpolicy p; kubectl delete pod server friend stranger --grace-period=1')
})

test('a volume of a driver survives its pod', async () => {
  const sock = '/var/lib/kubelet/plugins/folders.example.com/csi.sock'
  const driver = folderDriver({ name: 'folders.example.com', root: path.join(folder, 'volumes'), nodeId: 'node-1' })
  await using _driver = await serveCsiDriver(driver, { socket: sock, registry: '/var/lib/kubelet/plugins_registry' })
  const out = openSync(log, 'a')
  const command = blockWith('csi.md', 'sh', 'bowsprit csi').replace('admin.conf', kubeconfig)
  const sidecar = spawn('sh', ['-c', `exec ${command}`], { env, stdio: ['ignore', out, out] })
  try {
    await shown(`kubectl apply -f - <<'X'\n${blockWith('csi.md', 'yaml', 'kind: CSIDriver')}\nX`)
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
    const user = (name: string, script: string) => {
      const containers = [{ name: 'main', image, command: ['sh', '-c', script], volumeMounts: [{ name: 'data', mountPath: '/data' }] }]
      return apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { restartPolicy: 'Never', containers, volumes } })
    }
    await user('writes', 'echo kept > /data/word')
    await soon('kubectl get pod writes', /Completed/)
    await shown('kubectl delete pod writes')
    await user('reads', 'cat /data/word')
    await soon('kubectl get pod reads', /Completed/)
    assert.equal(await shown('kubectl logs reads'), 'kept\n')
    await shown('kubectl delete pod reads && kubectl delete pvc data')
    await soon('kubectl get pv -o name; echo end', /^end/)
  } finally {
    sidecar.kill()
  }
})

test.after(async () => {
  for (const child of started) child.kill()
  await machine[Symbol.asyncDispose]()
})

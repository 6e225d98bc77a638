/** Containers that are processes of this machine: programs that know nothing of Bowsprit, in a whole cluster. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { systemClock, VirtualClock } from '../../src/base/clock.ts'
import type { ClusterOptions } from '../../src/cluster/cluster-options.ts'
import { findIsolation } from '../../src/node/programs/processes/isolation.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Container, PodSpec } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { configMap, deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { showsRunningPod } from '../page/pod-streams.ts'
import { logs, podsOf } from '../programs/pods.ts'

const here = { namespace: 'default' }
const OPERATOR = path.join(import.meta.dirname, 'operator.mjs')
const SHELL: ClusterOptions['images'] = { 'shell:dev': { command: ['sh', '-c'] } }

let apart = false
before(async () => {
  apart = (await findIsolation()) === 'namespaces'
})
/** Volumes are where programs look for them only in a mount namespace. */
const needsNamespaces = (t: TestContext) => apart || t.skip('this machine allows no user namespaces')

async function open(t: TestContext, options: ClusterOptions) {
  const cluster = await startCluster(options)
  t.after(() => cluster[Symbol.asyncDispose]())
  const client = cluster.client()
  return { cluster, client, pods: podsOf(client, systemClock) }
}

/** A pod whose container runs a script of the machine's shell, to its end. */
const scripted = (script: string, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}) =>
  pod('script', {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'shell:dev', args: [script], ...container }], ...spec },
  })

async function mayEdit(client: Client): Promise<void> {
  await client.create(
    { ...refs.ROLE_BINDINGS, ...here },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'operator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    },
  )
  await client.create(
    { ...refs.ROLES, ...here },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'leases' },
      rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] }],
    },
  )
  await client.create(
    { ...refs.ROLE_BINDINGS, ...here },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'leases' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leases' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    },
  )
}

for (const threads of [false, true])
  test(`an operator's program leads and reconciles as the pod of a Deployment${threads ? ', in a process apart' : ''}`, async (t) => {
    if (!needsNamespaces(t)) return
    const { client, pods } = await open(t, { threads, images: { 'controller:dev': { command: ['node', OPERATOR], args: ['--default'] } } })
    await mayEdit(client)
    const name = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }
    const main = { name: 'manager', image: 'controller:dev', command: ['/manager'], args: ['--leader-elect'], env: [name] }
    const template = { metadata: { labels: { app: 'operator' } }, spec: { containers: [main] } }
    const spec = { selector: { matchLabels: { app: 'operator' } }, template }
    await client.create({ ...refs.DEPLOYMENTS, ...here }, deployment('operator', { spec }))
    await client.create({ ...refs.CONFIG_MAPS, ...here }, configMap('four', { once: '2' }, { metadata: { labels: { doubled: '' } } }))
    await waitFor(async () => (await client.get({ ...refs.CONFIG_MAPS, ...here, name: 'four' })).data?.twice === '4')
    const [{ metadata = {} } = {}] = (await client.list({ ...refs.PODS, ...here })).items
    const { name: operator = '' } = metadata
    await waitFor(async () => /reconciled four/.test(await pods.logs(operator)))
    assert.match(await pods.logs(operator), new RegExp(`^${operator} is the leader\nargs --leader-elect\n`))
    await client.delete({ ...refs.DEPLOYMENTS, ...here, name: 'operator' })
    await waitFor(async () => (await client.list({ ...refs.PODS, ...here })).items.length === 0)
  })

test('it sees its volumes, its variables and its user, and leaves its last words', async (t) => {
  if (!needsNamespaces(t)) return
  const { client, pods } = await open(t, { images: SHELL })
  await client.create({ ...refs.CONFIG_MAPS, ...here }, configMap('settings', { colour: 'grey' }))
  const script =
    'cat /etc/settings/colour; echo; echo $WHERE $SECRET; id -u; echo new > /etc/settings/colour; echo bye > /dev/termination-log; exit 3'
  const main: Partial<Container> = {
    env: [{ name: 'WHERE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }],
    securityContext: { runAsUser: 65532 },
    volumeMounts: [{ name: 'settings', mountPath: '/etc/settings' }],
  }
  process.env.SECRET = 'of the user'
  t.after(() => delete process.env.SECRET)
  await pods.create(scripted(script, main, { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] }))
  const { status } = await pods.ended('script')
  const terminated = status?.containerStatuses?.[0]?.state?.terminated
  assert.deepEqual([terminated?.exitCode, terminated?.message], [3, 'bye\n'])
  assert.match(await logs(client, 'script'), /^grey\ndefault\n65532\n.*Read-only file system\n$/)
})

test('the page shows its log, a shell in it, and its node', async (t) => {
  const { cluster, pods } = await open(t, { images: SHELL })
  await pods.create(scripted('echo hello; exec sleep 100'))
  await pods.until('script', ({ status }) => status?.phase === 'Running')
  await showsRunningPod(new URL(await cluster.page()), { name: 'script', line: 'hello', node: 'node-1' })
})

test('a new version of a ConfigMap reaches the process in one step', async (t) => {
  if (!needsNamespaces(t)) return
  const { client, pods } = await open(t, { images: SHELL })
  const maps = { ...refs.CONFIG_MAPS, ...here }
  await client.create(maps, configMap('settings', { colour: 'grey' }))
  const main = { volumeMounts: [{ name: 'settings', mountPath: '/settings' }] }
  const script = 'echo begun; while grep -q grey /settings/colour; do sleep 0.1; done; cat /settings/colour'
  await pods.create(scripted(script, main, { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] }))
  await waitFor(async () => (await pods.logs('script')) === 'begun\n')
  await client.update({ ...maps, name: 'settings' }, configMap('settings', { colour: 'green' }))
  // What a pod's object says of volumes is read when it changes; so is what the volumes refer to.
  await client.patch({ ...refs.PODS, ...here, name: 'script' }, 'merge', { metadata: { annotations: { touched: 'yes' } } })
  await pods.ended('script')
  assert.equal(await pods.logs('script'), 'begun\ngreen')
})

test('a manifest chooses neither another program nor what its loader loads', async (t) => {
  const { pods } = await open(t, { images: SHELL })
  const main = { command: ['/usr/bin/python3'], args: ['echo "$LD_PRELOAD$0"'], env: [{ name: 'LD_PRELOAD', value: '/tmp/evil.so' }] }
  await pods.create(scripted('', main))
  await pods.ended('script')
  assert.match(await pods.logs('script'), /^\S*sh\n$/)
})

test('its working directory is made, in a volume too, and nothing of it on this machine', async (t) => {
  const { client, pods } = await open(t, { images: SHELL })
  const parent = mkdtempSync(path.join(os.tmpdir(), 'process-pods-'))
  t.after(() => rmSync(parent, { recursive: true }))
  const volumes = [{ name: 'work', emptyDir: {} }]
  const volumeMounts = [{ name: 'work', mountPath: '/work' }]
  const folders = [path.join(parent, 'deep/er'), `/x/../${parent.slice(1)}/up`, ...(apart ? ['/work/in/it'] : [])]
  for (const [i, workingDir] of folders.entries()) {
    const { spec } = scripted('echo made > file && pwd', { workingDir, volumeMounts }, { volumes })
    await pods.create(pod(`script-${i}`, { spec }))
    await pods.ended(`script-${i}`)
    assert.match(await logs(client, `script-${i}`), apart ? new RegExp(`^${path.resolve(workingDir)}\n$`) : /work\n$/)
  }
  assert.deepEqual(readdirSync(parent), [])
})

test('variables are as the manifest has them, whatever their names', async (t) => {
  const { client, pods } = await open(t, { images: { 'node:dev': { command: [process.execPath, '-p'] } } })
  const env = {
    PLAIN: 'it\'s "quoted" $HOME `x`\nand long',
    'dotted.name-1': 'a b',
    IFS: 'x',
    SECONDS: 'text',
    LC_ALL: 'nowhere',
    _: 'own',
    'BASH_FUNC_mount%%': '() { :; }',
  }
  const shown = Object.keys(env).filter((name) => name !== 'PLAIN')
  const script = `JSON.stringify([process.env.PLAIN, ...${JSON.stringify(shown)}.map((name) => process.env[name]), process.env.PWD ?? null])`
  const main = { name: 'main', image: 'node:dev', args: [script], env: Object.entries(env).map(([name, value]) => ({ name, value })) }
  await pods.create(pod('variables', { spec: { restartPolicy: 'Never', containers: [main] } }))
  await pods.ended('variables')
  assert.deepEqual(JSON.parse(await logs(client, 'variables')), [env.PLAIN, ...shown.map((name) => env[name as keyof typeof env]), null])
})

test('a declared port is reached when a process of the container opens it, and not that of another program', async (t) => {
  const { client, pods } = await open(t, { images: SHELL })
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const listen = `${process.execPath} -e "require('http').createServer((_, to) => to.end('own')).listen(${port}, '127.0.0.1')"`
  const probed = { ports: [{ containerPort: port }], readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } }
  // Once it can: what listens is a child of the shell.
  await pods.create(scripted(`until ${listen} 2> /dev/null; do sleep 0.2; done`, probed))
  await waitFor(async () => (await client.list({ ...refs.CORE_EVENTS, ...here })).items.some(({ reason }) => reason === 'Unhealthy'))
  const [status] = (await client.get({ ...refs.PODS, ...here, name: 'script' })).status?.containerStatuses ?? []
  assert.equal(status?.ready, false)
  other.close()
  await pods.until('script', ({ status }) => status?.containerStatuses?.[0]?.ready)
})

test('a program that is not there ends its container, with the reason in its log', async (t) => {
  const { pods } = await open(t, { images: { 'shell:dev': { command: './no/such/manager' } } })
  await pods.create(scripted(''))
  const { status } = await pods.ended('script')
  assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 127)
  assert.match(await pods.logs('script'), /no\/such\/manager.*no such program on this machine/)
})

test('a clock of its own is refused: processes take the time of the machine', async () => {
  await assert.rejects(
    startCluster({ images: SHELL }, { clock: new VirtualClock() }),
    /^ConfigError: images: a "command" runs in real time/,
  )
})

test('nothing of a process is left when its cluster ends, nor what it has started', async (t) => {
  if (!needsNamespaces(t)) return
  const cluster = await startCluster({ images: SHELL })
  const pods = podsOf(cluster.client(), systemClock)
  const folders = () => globSync(path.join(os.tmpdir(), `bowsprit-process-*-${process.pid}-*`))
  const mark = `left-${process.pid}`
  // One that has left the group, and ignores what would end it.
  await pods.create(scripted(`trap '' TERM; setsid sh -c 'trap "" TERM HUP; : ${mark}; while :; do sleep 1; done' & echo up; wait`))
  await waitFor(async () => (await pods.logs('script')) === 'up\n')
  assert.equal(folders().length, 1)
  await cluster[Symbol.asyncDispose]()
  assert.deepEqual(folders(), [])
  await waitFor(() => !isRunning(mark))
})

test('a cluster that is killed takes its processes along', async (t) => {
  if (!needsNamespaces(t)) return
  const mark = `killed-${process.pid}`
  const cluster = spawn(process.execPath, [path.join(import.meta.dirname, 'killed-cluster.double.ts'), mark], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(cluster.stdout, 'data')
  assert.ok(isRunning(`: ${mark}`))
  cluster.kill('SIGKILL')
  await waitFor(() => !isRunning(`: ${mark}`))
})

test('what it writes into a volume is there for the next container, and a command runs the program once more', async (t) => {
  if (!needsNamespaces(t)) return
  const { client, pods } = await open(t, { images: SHELL })
  const volumeMounts = [{ name: 'work', mountPath: '/work' }]
  const initContainers: Container[] = [{ name: 'first', image: 'shell:dev', args: ['echo made > /work/file'], volumeMounts }]
  const readinessProbe = { exec: { command: ['sh', '-c', 'test -f /work/file'] } }
  const main = { args: ['cat /work/file; sleep 3600'], volumeMounts, readinessProbe }
  await pods.create(scripted('', main, { initContainers, volumes: [{ name: 'work', emptyDir: {} }] }))
  await pods.until('script', ({ status }) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
  await waitFor(async () => (await pods.logs('script', 'main')) === 'made\n')
  const command = await client.exec({ ...here, name: 'script' }, ['cat', '/work/file'], { container: 'main' })
  let text = ''
  for await (const chunk of command.stdout) text += Buffer.from(chunk).toString()
  assert.equal(text, 'made\n')
})

const isRunning = (mark: string) => globSync('/proc/[0-9]*/cmdline').some((file) => commandLine(file).includes(mark))

function commandLine(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

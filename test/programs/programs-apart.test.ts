/** Programs of containers in a process of their own: they do what they do in one thread, and what they do wrong ends them alone. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { CONFIG_MAPS, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { Container, Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from './pods.ts'

const here = { namespace: 'default' }
const images = path.join(import.meta.dirname, 'hostile-images.ts')

/** A garbage collector that looks for room takes the processor too. */
const PATIENT_MS = 10_000

async function open({ stuckMs = PATIENT_MS } = {}) {
  const warnings: string[] = []
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
  const cluster = await startCluster(
    { threads: true, images, nodes: 2, port: 0, ephemeral: true },
    { quiet: true, log, programLimits: { stuckMs, stopMs: 1000, heapMb: 64, memoryMb: 400 } },
  )
  const client = cluster.client()
  const run = async (name: string, container: Partial<Container>, more: Partial<Pod['spec']> = {}) => {
    const containers = [{ name: 'main', image: 'busybox', ...container }]
    return it.create(pod(name, { metadata: { labels: { app: name } }, spec: { restartPolicy: 'Never', containers, ...more } }))
  }
  const it = podsOf(client, systemClock)
  return { ...it, run, client, cluster, warnings, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const terminated = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated
const script = (text: string) => ({ command: ['sh', '-c', text] })

async function output(client: Client, name: string, command: readonly string[]): Promise<string> {
  const process = await client.exec({ ...here, name }, command)
  let text = ''
  for await (const chunk of process.stdout) text += Buffer.from(chunk).toString()
  await process.exit
  return text
}

for (const [what, image, reason, message, stuckMs] of [
  ['loops', 'loop', 'Error', /^killed: it has not given up the processor for 1 s$/, 1000],
  ['fills the heap', 'fill-heap', 'OOMKilled', /filled the memory/, PATIENT_MS],
  ['fills memory beside the heap', 'fill-buffers', 'OOMKilled', /filled the memory/, PATIENT_MS],
] as const)
  test(`a program that ${what} is ended, and says why; the server goes on, and so do other pods`, async () => {
    await using it = await open({ stuckMs })
    await it.run('played', { image: 'example/unknown' })
    await it.run('innocent', script('while true; do echo alive; sleep 1; done'), { restartPolicy: 'Always' })
    await it.until('played', ({ status }) => status?.phase === 'Running')
    await it.until('innocent', ({ status }) => status?.phase === 'Running')
    await it.run('hostile', { image: `example/${image}` })
    const ended = await it.ended('hostile')
    assert.deepEqual([terminated(ended)?.exitCode, terminated(ended)?.reason], [137, reason])
    assert.match(terminated(ended)?.message ?? '', message)
    assert.equal((await it.client.get({ ...PODS, ...here, name: 'played' })).status?.containerStatuses?.[0]?.restartCount, 0)
    await it.until('innocent', ({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined)
    await waitFor(async () => (await it.logs('innocent')).startsWith('alive\n'))
    assert.equal(await output(it.client, 'innocent', ['echo', 'hi']), 'hi\n')
  })

test('a program that throws beside its promises ends alone, and its log holds the error', async () => {
  await using it = await open()
  await it.run('innocent', script('sleep 1000'))
  await it.until('innocent', ({ status }) => status?.phase === 'Running')
  await it.run('hostile', { image: 'example/throw-later' })
  const ended = await it.ended('hostile')
  assert.deepEqual([terminated(ended)?.exitCode, terminated(ended)?.reason], [1, 'Error'])
  assert.match(await it.logs('hostile'), /^Error: thrown in a timer of Node\n {4}at /)
  assert.equal(await output(it.client, 'innocent', ['echo', 'hi']), 'hi\n')
})

test('a program that loops again and again is restarted with a back-off, and does nothing else', async () => {
  await using it = await open({ stuckMs: 1000 })
  await it.run('hostile', { image: 'example/loop' }, { restartPolicy: 'Always' })
  const again = await it.until('hostile', ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0)
  assert.equal(again.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 137)
  await it.until('hostile', ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff')
  await it.client.delete({ ...PODS, ...here, name: 'hostile' }, { gracePeriodSeconds: 0 })
  await it.run('after', script('echo done'))
  await it.ended('after')
  assert.equal(await it.logs('after'), 'done\n')
})

test('processes without number fail in their container alone', async () => {
  await using it = await open()
  await it.run('bomb', script('f() { f | f & }; f; while true; do sleep 1000 & done'))
  await it.until('bomb', ({ status }) => status?.phase === 'Running' || status?.phase === 'Failed')
  await it.run('other', script('echo done'))
  await it.ended('other')
  assert.equal(await it.logs('other'), 'done\n')
  assert.deepEqual(it.warnings, [])
})

test('pods find each other by services and names, and probes decide who is ready', async () => {
  await using it = await open()
  await it.client.create({ ...SERVICES, ...here }, service('web', { app: 'web' }))
  const probe = { httpGet: { path: '/ready', port: 80 }, periodSeconds: 1 }
  await it.run('web', { image: 'example/server', readinessProbe: probe, livenessProbe: probe })
  await it.until('web', ({ status }) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
  await it.run('caller', script('until wget -qO- http://web/hello; do sleep 1; done; nslookup web.default.svc.cluster.local'))
  await it.ended('caller')
  const log = await it.logs('caller')
  assert.match(log, /^\/hello by web$/m)
  assert.match(log, /Name:\s+web\.default\.svc\.cluster\.local/)
})

test('files of volumes, tokens and other containers are read and written; the last message is kept', async () => {
  await using it = await open()
  await it.client.create(
    { ...CONFIG_MAPS, ...here },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'paint', namespace: 'default' }, data: { color: 'red' } },
  )
  const mounts = {
    volumeMounts: [
      { name: 'shared', mountPath: '/shared' },
      { name: 'paint', mountPath: '/paint' },
    ],
  }
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token'
  await it.run(
    'files',
    {},
    {
      containers: [
        {
          name: 'writer',
          image: 'busybox',
          ...mounts,
          ...script(`cat /paint/color > /shared/file; wc -c < ${token}; echo why > /dev/termination-log`),
        },
        { name: 'reader', image: 'busybox', ...mounts, ...script('until cat /shared/file; do sleep 1; done') },
      ],
      volumes: [
        { name: 'shared', emptyDir: {} },
        { name: 'paint', configMap: { name: 'paint' } },
      ],
    },
  )
  const done = await it.ended('files')
  assert.equal(await it.logs('files', 'reader'), 'red')
  assert.ok(Number(await it.logs('files', 'writer')) > 500)
  const writer = done.status?.containerStatuses?.find(({ name }) => name === 'writer')
  assert.equal(writer?.state?.terminated?.message, 'why\n')
})

test('a followed log, a terminal and a forwarded port end with the process of programs, and can be opened again', async () => {
  await using it = await open({ stuckMs: 1000 })
  await it.run('web', { image: 'example/server' }, { restartPolicy: 'Always' })
  await it.until('web', ({ status }) => status?.phase === 'Running')
  const get = async (target: string) => {
    await using ports = await it.client.portForward({ ...here, name: 'web' })
    const { source, sink } = await ports.open(80)
    await sink.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n`))
    let text = ''
    for await (const chunk of source) text += Buffer.from(chunk).toString()
    return text
  }
  assert.match(await get('/a'), /\/a by web/)
  const shell = await it.client.exec({ ...here, name: 'web' }, ['sh'], { stdin: true, tty: true })
  await assert.rejects(get('/loop').then((text) => assert.match(text, /by web/)))
  assert.notEqual((await shell.exit.catch(() => ({ exitCode: -1 }))).exitCode, 0)
  await it.until('web', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1)
  await waitFor(async () => (await get('/b').catch(() => '')).includes('/b by web'))
})

test('no process of programs starts for pods without programs, and none is left at the end', async () => {
  const runners: number[] = []
  const info = (message: string, { pid }: { readonly pid?: unknown } = {}) => {
    if (message === 'a process for the programs of containers has started') runners.push(Number(pid))
  }
  await using cluster = await startCluster({ threads: true, port: 0, ephemeral: true }, { quiet: true, log: { ...silentLogger, info } })
  const it = podsOf(cluster.client(), systemClock)
  await it.create(pod('played', { image: 'example/unknown' }))
  await it.until('played', ({ status }) => status?.phase === 'Running')
  assert.equal(runners.length, 0)
  await it.create(pod('shell', { spec: { containers: [{ name: 'main', image: 'busybox', ...script('sleep 1000; echo') }] } }))
  await it.until('shell', ({ status }) => status?.phase === 'Running')
  assert.equal(runners.length, 1)
  await cluster[Symbol.asyncDispose]()
  assert.throws(() => process.kill(runners[0] ?? 0, 0), { code: 'ESRCH' })
})

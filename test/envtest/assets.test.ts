/** The programs of `bowsprit assets`, started as envtest does. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { configMap } from '../../src/testing/builders.ts'
import { runProgram } from '../run-program.ts'
import { askEtcd, type End, envtestHouse, ready, twoPorts } from './envtest-pair.ts'

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const MAPS = '/api/v1/namespaces/default/configmaps'

test('envtest starts etcd, then kube-apiserver, and both end as the real ones do', async () => {
  using house = envtestHouse()
  const [etcdPort, port] = await twoPorts()
  const etcd = house.etcd(etcdPort)
  await ready(etcd, () => askEtcd(etcdPort, '/health'))
  assert.equal((await askEtcd(etcdPort, '/health')).body, '{"health":"true","reason":""}')
  assert.match((await askEtcd(etcdPort, '/version')).body, /"etcdserver":"3\.6\./)
  assert.equal((await askEtcd(etcdPort, '/nothing')).code, 404)
  const server = house.apiServer(port, etcdPort)
  await ready(server, () => house.ask(port, '/healthz'))
  assert.equal((await house.ask(port, '/api/v1/namespaces/default')).code, 200)
  assert.equal((await house.ask(port, MAPS, { method: 'POST', body: map('a') })).code, 201)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
  etcd.child.kill('SIGTERM')
  assert.equal(await etcd.ended, 'SIGTERM' satisfies End)
  assert.match(server.said(), /^I\d{4} [\d:.]+ +\d+ secure_serving\.go:\d+\] Serving securely on 127\.0\.0\.1:\d+$/m)
  assert.match(etcd.said(), /"msg":"ready to serve client requests"/)
})

test('the data is with etcd: either may be killed and started again; another data folder is empty; two servers share one etcd', async () => {
  using house = envtestHouse()
  const [etcdPort, port] = await twoPorts()
  const [otherPort, secondPort] = await twoPorts()
  let etcd = house.etcd(etcdPort)
  await ready(etcd, () => askEtcd(etcdPort, '/health'))
  let server = house.apiServer(port, etcdPort)
  const second = house.apiServer(secondPort, etcdPort)
  await ready(server, () => house.ask(port, '/healthz'))
  await ready(second, () => house.ask(secondPort, '/healthz'))
  assert.equal((await house.ask(port, MAPS, { method: 'POST', body: map('kept') })).code, 201)
  assert.equal((await house.ask(secondPort, `${MAPS}/kept`)).code, 200)
  assert.equal((await house.ask(secondPort, MAPS, { method: 'POST', body: map('kept') })).code, 409)

  server.child.kill('SIGKILL')
  await server.ended
  server = house.apiServer(port, etcdPort)
  await ready(server, () => house.ask(port, '/healthz'))
  assert.equal((await house.ask(port, `${MAPS}/kept`)).code, 200)

  etcd.child.kill('SIGKILL')
  await etcd.ended
  const meanwhile = house.ask(port, `${MAPS}/kept`)
  etcd = house.etcd(etcdPort)
  assert.equal((await meanwhile).code, 200, 'what is asked while etcd is away waits for it')
  assert.equal((await house.ask(port, MAPS, { method: 'POST', body: map('after') })).code, 201)
  assert.equal((await house.ask(secondPort, `${MAPS}/after`)).code, 200)

  const other = house.etcd(otherPort, 'other')
  await ready(other, () => askEtcd(otherPort, '/health'))
  second.child.kill('SIGTERM')
  await second.ended
  const third = house.apiServer(secondPort, otherPort)
  await ready(third, () => house.ask(secondPort, '/healthz'))
  assert.equal((await house.ask(secondPort, `${MAPS}/kept`)).code, 404)
})

test('errors have the messages of the real programs', async () => {
  using house = envtestHouse()
  const [etcdPort, port] = await twoPorts()
  const etcd = house.etcd(etcdPort)
  await ready(etcd, () => askEtcd(etcdPort, '/health'))
  const reported = async (name: string, ...words: string[]) => {
    const { code, err } = await runProgram(path.join(house.assets, name), words, { cwd: house.folder })
    return `${code} ${err.split('\n').find((line) => !line.includes('"level":"info"'))}`
  }
  assert.equal(await reported('kube-apiserver', '--nope=1'), '1 Error: unknown flag: --nope')
  assert.match(await reported('kube-apiserver'), /^1 E\d{4} .* run\.go:\d+\] "command failed" err="--etcd-servers must be specified"$/)
  assert.equal(await reported('etcd', '--nope'), '2 flag provided but not defined: -nope')
  assert.match(
    await reported('etcd', '--listen-client-urls=http://127.0.0.1:1'),
    /^1 .*"error":"--advertise-client-urls is required when --listen-client-urls is set explicitly"/,
  )
  const at = `http://127.0.0.1:${etcdPort}`
  assert.match(
    await reported(
      'etcd',
      '--data-dir=b',
      `--listen-client-urls=${at}`,
      `--advertise-client-urls=${at}`,
      '--listen-peer-urls=http://127.0.0.1:0',
    ),
    new RegExp(`^1 .*"level":"fatal".*"error":"listen tcp 127\\.0\\.0\\.1:${etcdPort}: bind: address already in use"`),
  )
  assert.match(
    await reported(
      'etcd',
      '--data-dir=data',
      '--listen-client-urls=http://127.0.0.1:0',
      '--advertise-client-urls=x',
      '--listen-peer-urls=http://127.0.0.1:0',
    ),
    new RegExp(`^1 .*belongs to process ${etcd.child.pid}`),
  )
  const taken = house.apiServer(etcdPort, etcdPort)
  assert.equal(await taken.ended, 1)
  assert.match(
    taken.said(),
    new RegExp(
      `"failed to create listener: failed to listen on 127\\.0\\.0\\.1:${etcdPort}: listen tcp 127\\.0\\.0\\.1:${etcdPort}: bind: address already in use"`,
    ),
  )
  const crt = path.join(house.folder, 'apiserver.crt')
  const nowhere = house.apiServer(port, etcdPort, [`--cert-dir=${crt}/sub`])
  assert.equal(await nowhere.ended, 1)
  assert.match(nowhere.said(), new RegExp(`err="error creating self-signed certificates: mkdir ${crt}: not a directory"`))
  const folderless = house.etcd(port, 'apiserver.crt/data')
  assert.equal(await folderless.ended, 1)
  assert.match(folderless.said(), /"level":"fatal".*"error":"[^"]*apiserver\.crt[^"]*not a directory/)
  const server = house.apiServer(port, etcdPort)
  await ready(server, () => house.ask(port, '/healthz'))
  etcd.child.kill('SIGKILL')
  await etcd.ended
  rmSync(path.join(house.folder, 'data'), { recursive: true })
  const emptied = house.etcd(etcdPort)
  assert.equal(await server.ended, 1, 'an etcd that has lost everything is another: the server ends and says so')
  assert.match(server.said(), /the store is gone/)
  emptied.child.kill('SIGKILL')
})

test('--help is printed at once, with each flag at the beginning of a line', async () => {
  using house = envtestHouse()
  const help = async (name: string) => (await runProgram(path.join(house.assets, name), ['--help'], { env: { PATH: '/usr/bin:/bin' } })).out
  const [etcd, server] = [await help('etcd'), await help('kube-apiserver')]
  assert.match(etcd, /^\s*--unsafe-no-fsync\b/m)
  assert.match(server, /^\s*--etcd-servers\b/m)
  assert.doesNotMatch(server, /^\s*--insecure-port\b/m)
})

test('with BOWSPRIT_PARTS the same programs have garbage collection, deployments and running pods', async () => {
  using house = envtestHouse()
  const [etcdPort, port] = await twoPorts()
  const etcd = house.etcd(etcdPort)
  await ready(etcd, () => askEtcd(etcdPort, '/health'))
  const server = house.apiServer(port, etcdPort, [], { BOWSPRIT_PARTS: 'server,controllers,scheduler,nodes' })
  await ready(server, () => house.ask(port, '/healthz'))
  const labels = { app: 'web' }
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  }
  const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
  assert.equal((await house.ask(port, DEPLOYMENTS, { method: 'POST', body })).code, 201)
  await ready(server, async () => {
    const { body: text } = await house.ask(port, `${DEPLOYMENTS}/web`)
    return { code: text.includes('"readyReplicas":2') ? 200 : 0, body: text }
  })
  await house.ask(port, `${DEPLOYMENTS}/web`, { method: 'DELETE' })
  await ready(server, async () => {
    const { body: text } = await house.ask(port, '/api/v1/namespaces/default/pods')
    return { code: text.includes('"items":[]') ? 200 : 0, body: text }
  })
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
})

test('with BOWSPRIT_FROM every new control plane starts from the saved cluster, independently, and an existing one continues', async () => {
  using house = envtestHouse()
  const file = path.join(house.folder, 'prepared.snapshot')
  {
    await using cluster = await startCluster({ ephemeral: true, parts: ['server'] }, { quiet: true })
    const configMaps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
    await cluster.client().create(configMaps, configMap('prepared', {}))
    await cluster.save(file)
  }
  const from = { BOWSPRIT_FROM: file }
  const begin = async (dataDir: string) => {
    const [etcdPort, port] = await twoPorts()
    const etcd = house.etcd(etcdPort, dataDir, from)
    await ready(etcd, () => askEtcd(etcdPort, '/health'))
    const server = house.apiServer(port, etcdPort, [], from)
    await ready(server, () => house.ask(port, '/healthz'))
    const names = async () => {
      const { items } = JSON.parse((await house.ask(port, MAPS)).body) as { items: { metadata: { name: string } }[] }
      return items.map(({ metadata }) => metadata.name)
    }
    const end = async () => {
      for (const { child, ended } of [server, etcd]) {
        child.kill('SIGTERM')
        await ended
      }
    }
    return { port, names, end }
  }
  const [a, b] = [await begin('a'), await begin('b')]
  assert.deepEqual([await a.names(), await b.names()], [['prepared'], ['prepared']])
  assert.equal((await house.ask(a.port, MAPS, { method: 'POST', body: map('own') })).code, 201)
  assert.equal((await house.ask(a.port, `${MAPS}/prepared`, { method: 'DELETE' })).code, 200)
  assert.deepEqual([await a.names(), await b.names()], [['own'], ['prepared']])
  await a.end()
  const again = await begin('a')
  assert.deepEqual(await again.names(), ['own'])

  const [etcdPort] = await twoPorts()
  const wrong = house.etcd(etcdPort, 'c', { BOWSPRIT_FROM: import.meta.filename })
  assert.equal(await wrong.ended, 1)
  assert.match(wrong.said(), /BOWSPRIT_FROM: .*assets\.test\.ts is no snapshot of a cluster/)
  assert.equal(existsSync(path.join(house.folder, 'c', 'member', 'store.log')), false)
})

test('a read-only folder is reported, and existing assets may be read-only, moved and linked to', async () => {
  using house = envtestHouse()
  const program = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
  const file = path.join(house.folder, 'file')
  writeFileSync(file, '')
  const { code, err } = await runProgram(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    program,
    'assets',
    path.join(file, 'sub'),
  ])
  assert.deepEqual([code, err], [2, `bowsprit assets: folder: "${file}/sub" cannot be a folder: ${file} is a file\n`])
  chmodSync(house.assets, 0o555)
  const link = path.join(house.folder, 'linked-etcd')
  symlinkSync(path.join(house.assets, 'etcd'), link)
  assert.match(execFileSync(link, ['--version']).toString(), /^etcd Version: /)
  chmodSync(house.assets, 0o755)
})

test("kubectl is the machine's, or none, which is reported", async () => {
  using house = envtestHouse()
  const bin = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-kubectl-'))
  mkdirSync(path.join(bin, 'a'))
  writeFileSync(path.join(bin, 'a', 'kubectl'), '#!/bin/sh\necho "found $1"\n', { mode: 0o755 })
  const tools = path.join(bin, 'tools')
  mkdirSync(tools)
  for (const tool of ['dirname']) symlinkSync(`/usr/bin/${tool}`, path.join(tools, tool))
  const kubectl = path.join(house.assets, 'kubectl')
  const found = await runProgram(kubectl, ['version'], { env: { PATH: `${house.assets}:${path.join(bin, 'a')}:${tools}` } })
  assert.deepEqual([found.code, found.out], [0, 'found version\n'])
  const none = await runProgram(kubectl, ['version'], { env: { PATH: `${house.assets}:${tools}` } })
  assert.equal(none.code, 127)
  rmSync(bin, { recursive: true })
})

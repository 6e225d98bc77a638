/** `bowsprit up` as a process: start, error messages, stop, and the state afterwards. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { systemClock } from '../../src/base/clock.ts'
import { CONFIG_MAPS } from '../../src/resources/refs.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { type Ended, runProgram } from '../run-program.ts'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', main]
const SMALL = ['--parts', 'server', '--port', '0']

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command that is expected to exit by itself. */
async function bowsprit(...args: string[]): Promise<Ended> {
  const { code, out, err } = await runProgram(process.execPath, [...NODE_FLAGS, ...args], { timeoutMs: 20_000 })
  return { code, out: stripVTControlCharacters(out), err: stripVTControlCharacters(err) }
}

/** Starts a cluster as a process; resolves when it reports that it is up. */
async function up(t: TestContext, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'up', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  for await (const text of child.stdout) {
    said += String(text)
    if (said.includes('Ctrl-C stops it.')) return child
  }
  throw new Error(`bowsprit up ended: ${said}${String(child.stderr.read() ?? '')}`)
}

/** A client for the cluster of a kubeconfig, closed at the end of the test. */
async function clientOf(t: TestContext, kubeconfig: string): Promise<Client> {
  const transport = httpsTransport(await loadKubeconfigFile(kubeconfig), { clock: systemClock })
  t.after(() => transport[Symbol.asyncDispose]())
  return createClient(transport)
}

const configMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { name },
})
const IN_DEFAULT = { ...CONFIG_MAPS, namespace: 'default' }

for (const [args, wanted] of [
  [['up', '--nodes', 'many'], /^bowsprit up: --nodes: "many" is not a whole number from 0 to 10000/],
  [['up', '--nodes', '10001'], /^bowsprit up: --nodes: "10001" is not a whole number from 0 to 10000/],
  [['up', '--parts', 'server,cook'], /bowsprit up: --parts: there is no part "cook"; there are server, controllers, scheduler, nodes/],
  [['up', '--parts', 'nodes'], /bowsprit up: --parts: a cluster needs the part "server"/],
  [['up', '--port', '70000'], /bowsprit up: --port: "70000" is not a whole number from 0 to 65535/],
  [['up', '--service-cidr', '10.0.0.0'], /bowsprit up: --service-cidr: "10.0.0.0" is neither a range such as/],
  [['up', '--fast'], /unknown option '--fast'/],
  [['down'], /unknown command 'down'/],
] as const)
  test(`options that cannot be are refused, each with what to write instead: ${JSON.stringify(args)}`, async () => {
    const { code, out, err } = await bowsprit(...args)
    assert.match(err, wanted)
    assert.ok(code !== 0 && code !== null, `${args.join(' ')} ended with ${code}`)
    assert.equal(out, '')
    assert.doesNotMatch(err, /\n {4}at /, 'a stack is for us, not for users')
  })

test('a port in use is reported, and nothing is left behind', async (t) => {
  const other = net.createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as net.AddressInfo
  const folder = path.join(emptyFolder(t), 'new')
  const { code, err } = await bowsprit('up', '--parts', 'server', '--data-dir', folder, '--port', String(port))
  assert.equal(code, 1)
  assert.equal(existsSync(folder), false)
  assert.match(err, new RegExp(`^bowsprit up: port ${port} of 127\\.0\\.0\\.1 is in use by another program; choose another with --port`))
})

test('a second start on a data folder in use is refused and harms nothing', async (t) => {
  const folder = emptyFolder(t)
  const first = await up(t, ...SMALL, '--data-dir', folder)
  const { code, err } = await bowsprit('up', ...SMALL, '--data-dir', folder)
  assert.equal(code, 2)
  assert.match(err, /^bowsprit up: --data-dir: the cluster in .* is running already, as process \d+ at https:/)
  assert.ok(err.includes(folder), err)
  await (await clientOf(t, path.join(folder, 'kubeconfig'))).create(IN_DEFAULT, configMap('still-here'))
  assert.equal(first.exitCode, null)
})

test('a data folder that cannot be written, or is a file, is named', async (t) => {
  const folder = emptyFolder(t)
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  const { code, err } = await bowsprit('up', ...SMALL, '--data-dir', file)
  assert.equal(code, 2)
  assert.ok(err.startsWith('bowsprit up: ') && err.includes(file), err)
  assert.doesNotMatch(err, /\n {4}at /)
  if (process.platform === 'linux') {
    const inProc = await bowsprit('up', ...SMALL, '--data-dir', '/proc/none/below')
    assert.equal(inProc.code, 2)
    assert.match(inProc.err, /^bowsprit up: --data-dir: \/proc\/none\/below cannot be written \(.*\): choose another folder\n$/)
  }
  if (process.getuid?.() === 0) return // root can read every file
  const closed = path.join(folder, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o500)
  const refused = await bowsprit('up', ...SMALL, '--data-dir', path.join(closed, 'data'))
  assert.equal(refused.code, 2)
  assert.ok(refused.err.includes(closed), refused.err)
})

test('damaged files are named, whichever it is', async (t) => {
  const folder = emptyFolder(t)
  await stop(await up(t, ...SMALL, '--data-dir', folder), 'SIGTERM')
  const store = path.join(folder, 'store')
  const database = readdirSync(store).find((f) => /\.(db|sqlite)$/.test(f)) ?? ''
  assert.notEqual(database, '', readdirSync(store).join(' '))
  const whole = readFileSync(path.join(store, database))
  for (const damage of [
    () => writeFileSync(path.join(store, database), 'this is not a database, and long enough to be seen as none at all'.repeat(100)),
    () => {
      writeFileSync(path.join(store, database), whole)
      truncateSync(path.join(store, database), Math.floor(whole.length / 2) + 100)
    },
  ]) {
    damage()
    const { code, err } = await bowsprit('up', ...SMALL, '--data-dir', folder)
    assert.equal(code, 1, err)
    assert.ok(err.startsWith('bowsprit up: ') && err.includes(store), err)
    assert.doesNotMatch(err, /\n {4}at /)
  }
  writeFileSync(path.join(store, database), whole)
  writeFileSync(path.join(folder, 'certificates', 'ca.pem'), 'x')
  const { code, err } = await bowsprit('up', ...SMALL, '--data-dir', folder)
  assert.equal(code, 1)
  assert.match(err, /ca\.pem is damaged/)
})

test('a second start finds everything again, under the same kubeconfig', async (t) => {
  const folder = emptyFolder(t)
  const kubeconfig = path.join(folder, 'kubeconfig')
  const first = await up(t, ...SMALL, '--data-dir', folder)
  const made = await (await clientOf(t, kubeconfig)).create(IN_DEFAULT, configMap('kept'))
  const before = readFileSync(kubeconfig, 'utf8')
  await stop(first, 'SIGTERM')
  await up(t, ...SMALL, '--data-dir', folder)
  const found = await (await clientOf(t, kubeconfig)).get({ ...IN_DEFAULT, name: 'kept' })
  assert.deepEqual(found, made)
  const identity = (text: string) => text.replace(/server: .*/, '')
  assert.equal(identity(readFileSync(kubeconfig, 'utf8')), identity(before))
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops a cluster at once and cleanly, with watches and silent connections open`, async (t) => {
    const folder = emptyFolder(t)
    const child = await up(t, '--port', '0', '--data-dir', folder)
    const client = await clientOf(t, path.join(folder, 'kubeconfig'))
    const watches = Array.from({ length: 20 }, async () => {
      for await (const _ of client.watch(CONFIG_MAPS)) void _
    })
    await client.create(IN_DEFAULT, configMap('one'))
    const port = Number(/:(\d+)\n/.exec(readFileSync(path.join(folder, 'kubeconfig'), 'utf8'))?.[1])
    const silent = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    await stop(child, signal)
    assert.equal(child.exitCode, 0)
    await Promise.allSettled(watches)
    assert.equal(existsSync(path.join(folder, 'store', 'lock')), false)
  })
}

test('kill -9 in the middle of writes loses nothing that was acknowledged', async (t) => {
  const folder = emptyFolder(t)
  const kubeconfig = path.join(folder, 'kubeconfig')
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 4; round++) {
    const child = await up(t, ...SMALL, '--data-dir', folder)
    const client = await clientOf(t, kubeconfig)
    const { items } = await client.list(IN_DEFAULT)
    const found = new Map(items.map((o) => [o.metadata.name, o.metadata.resourceVersion]))
    for (const [name, version] of acknowledged) assert.equal(found.get(name), version, `${name} after round ${round}`)
    let written = 0
    const killAfter = 150 + 100 * round
    await Promise.allSettled(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let i = 0; ; i++) {
          const name = `r${round}-w${writer}-${i}`
          const made = await client.create(IN_DEFAULT, configMap(name))
          acknowledged.set(name, made.metadata.resourceVersion ?? '')
          if (++written === killAfter) child.kill('SIGKILL')
        }
      }),
    )
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  assert.ok(acknowledged.size >= 4 * 150, String(acknowledged.size))
})

test('two clusters run independently of each other', async (t) => {
  const [one, two] = [emptyFolder(t), emptyFolder(t)]
  await Promise.all([one, two].map((folder) => up(t, '--port', '0', '--data-dir', folder)))
  const [first, second] = await Promise.all([one, two].map((folder) => clientOf(t, path.join(folder, 'kubeconfig'))))
  await first?.create(IN_DEFAULT, configMap('mine'))
  await assert.rejects(async () => second?.get({ ...IN_DEFAULT, name: 'mine' }), { message: 'configmaps "mine" not found' })
})

/** Asks the process to stop, and waits until it has. */
async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

test('with --until-stdin-ends it stops with its parent process, and saves its state if configured', async (t) => {
  const folder = emptyFolder(t)
  const saved = path.join(folder, 'saved')
  const words = [...NODE_FLAGS, 'up', '--ephemeral', ...SMALL, '--until-stdin-ends', '--save-on-exit', saved]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  for await (const text of child.stdout) if (String(text).includes('Ctrl-C stops it.')) break
  assert.equal(child.exitCode, null, 'it runs while somebody holds its standard input')
  child.stdin.destroy()
  assert.deepEqual(await ended, [0, null])
  assert.equal(existsSync(saved), true)
})

test('with --until-stdin-ends and /dev/null it stops as soon as it is up', async (t) => {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'up', '--ephemeral', ...SMALL, '--until-stdin-ends'], { stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

/** `searchOperator` with operators that do not do what one expects: it ends, says what is wrong, and leaves nothing behind. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { folderOf } from '../../src/cli/run-command.double.ts'
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS } from '../../src/resources/refs.ts'
import type { InProcessOperator, OperatorLife } from '../../src/testing/operator-search/run/operator-life.ts'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { programsWith } from '../../src/testing/operator-trial/program/running-programs.ts'
import { until } from '../../src/testing/operator-trial/until.ts'
import { claim, DATABASES, database, databases, ensure, live, remove, setFinalizer, standIn } from './operator-search/stand-in.ts'

const root = path.join(import.meta.dirname, '..', '..')
const INSTALL = [databases({ size: { type: 'integer' } })]
const SAMPLE = database({ size: 1 })
const CREATED = { install: INSTALL, samples: [SAMPLE], steps: [{ name: 'create', apply: [SAMPLE] }] }

const searched = async (operator: InProcessOperator) => {
  const { findings } = await searchOperator({ ...CREATED, operator })
  return findings.map(({ harm, symptoms }) => `${harm}: ${symptoms[0]?.text}`)
}

/** Writes these data of one config map, one after the other, again and again. */
const writing =
  (everyMs: number, dataOf: (life: OperatorLife, n: number) => Record<string, string>): InProcessOperator =>
  async (life) => {
    const own = { ...CONFIG_MAPS, namespace: 'default', name: 'own' }
    for (let n = 0; !life.signal.aborted; n++) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' }, data: dataOf(life, n) }
      await life.client.patch(own, 'apply', map, { fieldManager: 'own', force: true })
      await life.clock.sleep(everyMs)
    }
  }

test('an operator that changes its mind for ever is reported', async () =>
  assert.deepEqual(await searched(writing(5000, (_, n) => ({ mode: n % 2 === 0 ? 'a' : 'b' }))), ['stuck: it never comes to rest']))

test('an operator that notes the time is at rest', async () => {
  const now = ({ clock }: OperatorLife) => ({ lastLook: new Date(clock.now()).toISOString() })
  assert.deepEqual(await searched(writing(10_000, now)), [])
})

test('an operator that floods the API server, and ignores errors, is reported', async () => {
  const flooding: InProcessOperator = async ({ client }) => {
    for (;;) await client.list(CONFIG_MAPS).catch(() => {})
  }
  assert.deepEqual(await searched(flooding), ['stuck: it floods the API server: 5000 requests'])
})

test('an operator that asks again and again while its view is old does not flood for ever: the view catches up', async () => {
  const waiting = standIn([PERSISTENT_VOLUME_CLAIMS], async ({ database: seen, client, cached, life: { signal } }) => {
    const { namespace = '', name = '', uid, deletionTimestamp } = seen.metadata
    const [own, databases] = [
      { ...PERSISTENT_VOLUME_CLAIMS, namespace, name: `data-${name}` },
      { ...DATABASES, namespace, name },
    ]
    const isOld = async () => cached(DATABASES).some((d) => d.metadata.uid === uid) && (await live(client, databases))?.metadata.uid !== uid
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, seen, true)
      return ensure(client, own, claim(own.name))
    }
    while (await isOld()) signal.throwIfAborted()
    if ((await live(client, databases))?.metadata.uid !== uid) return
    await remove(client, own)
    await setFinalizer(client, seen, false)
  })
  const { findings } = await searchOperator({ install: INSTALL, samples: [SAMPLE], operator: waiting })
  assert.deepEqual(findings, [])
})

test('a crash that a controller survives is reported', async () => {
  const crashing = standIn([], async ({ database: { spec } }) => {
    const { storage } = (spec ?? {}) as { readonly storage: { readonly size: number } }
    if (storage.size > 1) throw new Error('too large')
  })
  assert.deepEqual(await searched(crashing), ["stuck: it has crashed: Cannot read properties of undefined (reading 'size')"])
})

test('an operator that loses its lease is not judged', async () => {
  const losing: InProcessOperator = async ({ clock }) => {
    await clock.sleep(1000)
    throw new Error('leader election lost')
  }
  await assert.rejects(searched(losing), /^SearchWorldError: this machine is too busy to judge the operator, which lost its lease: /)
})

test('what a program has started ends with its run', async () => {
  const word = `SEARCHED_${process.pid}`
  // Two processes that leave its session, and outlive it. None of them has a timer that would be waited for.
  const wait = 'setTimeout(() => {}, 1e9)'
  const fork = `require('child_process').spawn(process.execPath, ['-e', '${wait}'], { detached: true, stdio: 'ignore' }).unref();`
  const operator = { command: [process.execPath, '-e', `${fork}${fork}${wait}`], env: { [word]: 'yes' } }
  await searchOperator({ ...CREATED, operator })
  assert.deepEqual(programsWith(word), [])
})

/** Sends a signal to a program of Node when the operator of its search runs. Resolves with how it ends when nothing is left of it. */
async function interrupted(t: TestContext, words: readonly string[], signal: NodeJS.Signals): Promise<unknown> {
  const tmp = mkdtempSync(path.join(os.tmpdir(), 'interrupted-'))
  t.after(() => rmSync(tmp, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    env: { ...process.env, TMPDIR: tmp },
    stdio: 'ignore',
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const started = () => programsWith(tmp).some(({ command }) => command.includes('KUBECONFIG') && !command.includes(words[0] ?? ''))
  assert.ok(await until(started, 90_000))
  child.kill(signal)
  const [code, by] = await ended
  assert.ok(await until(() => programsWith(tmp).length === 0, 10_000))
  const left = readdirSync(tmp).filter((name) => name.startsWith('operator-'))
  assert.deepEqual(left, [])
  return code ?? by
}

const ENDLESS = [process.execPath, '-e', 'console.log(process.env.KUBECONFIG); setInterval(() => {}, 1000)']

test('SIGINT in the middle leaves no process, no folder and no report', { timeout: 120_000 }, async (t) => {
  const at = folderOf(t, { 'crd.json': JSON.stringify(INSTALL[0]), 'sample.json': JSON.stringify(SAMPLE) })
  const words = ['--search', '--install', at('crd.json'), '--sample', at('sample.json'), '--json', at('report.json')]
  const main = path.join(root, 'src', 'cli', 'main.ts')
  assert.equal(await interrupted(t, [main, 'test-operator', ...words, ...ENDLESS], 'SIGINT'), 130)
  assert.equal(existsSync(at('report.json')) && readFileSync(at('report.json'), 'utf8') !== '', false)
})

test('SIGTERM ends a program that searches, and the operator with it', { timeout: 120_000 }, async (t) => {
  const module = path.join(root, 'src', 'testing', 'operator-search', 'search-operator.ts')
  const search = JSON.stringify({ ...CREATED, operator: { command: ENDLESS } })
  const at = folderOf(t, { 'search.ts': `import { searchOperator } from '${module}'\nawait searchOperator(${search})` })
  assert.equal(await interrupted(t, [at('search.ts')], 'SIGTERM'), 'SIGTERM')
})

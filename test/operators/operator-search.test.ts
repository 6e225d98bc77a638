/** `searchOperator`: each published bug is found in a stand-in that has it, with no word about where; the mended one has no fault. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { folderOf, runCommand } from '../../src/cli/run-command.double.ts'
import { testOperatorCommand } from '../../src/cli/test-operator.ts'
import { CONFIG_MAPS } from '../../src/resources/refs.ts'
import { type SearchReport, searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { KNOWN_MISTAKES } from './operator-search/known-mistakes.ts'
import type { KnownSearch } from './operator-search/search-worker.ts'
import { database, databases, standIn } from './operator-search/stand-in.ts'
import { crashBetweenSecrets } from './operator-search/stand-ins/crash-between-secrets.ts'

const SIZE = { size: { type: 'integer' } }

const symptomsOf = ({ findings }: SearchReport) => findings.flatMap(({ symptoms }) => symptoms.map(({ text }) => text))

// A search makes much that is soon garbage.
const worker = new Worker(new URL('operator-search/search-worker.ts', import.meta.url), {
  resourceLimits: { maxYoungGenerationSizeMb: 128 },
})
after(() => worker.terminate())
const search = async (asked: KnownSearch): Promise<readonly string[]> => {
  worker.postMessage(asked)
  const [found] = await once(worker, 'message')
  return found
}

for (const bug of KNOWN_MISTAKES) {
  test(`${bug.id} is found`, async () => {
    const found = await search({ id: bug.id, mended: false })
    assert.ok(
      found.some((text) => bug.found.test(text)),
      `found: ${found.join('\n')}`,
    )
  })
  test(`${bug.id}, mended: no fault is found`, async () => assert.deepEqual(await search({ id: bug.id, mended: true }), []))
}

test('--module: a report of --json is replayed; the same seed gives the same report', async (t) => {
  const at = folderOf(t, { 'crd.json': JSON.stringify(databases(SIZE)), 'sample.json': JSON.stringify(database({ size: 1 })) })
  const module = path.join(import.meta.dirname, 'operator-search', 'two-secrets.ts')
  const words = ['--module', module, '--install', at('crd.json'), '--sample', at('sample.json')]
  const first = await runCommand(testOperatorCommand(), ...words, '--json', at('first.json'))
  assert.equal(first.code, 1, first.err)
  assert.match(first.out, /^DATA LOST: Secret default\/d-ssl-internal is missing\n/)
  assert.match(first.out, /steps: create again\n {2}fault: killed before its write 2 \(create secrets default\/d-ssl-internal\)/)
  const second = await runCommand(testOperatorCommand(), ...words, '--json', at('second.json'))
  assert.equal(second.out, first.out)
  assert.equal(readFileSync(at('second.json'), 'utf8'), readFileSync(at('first.json'), 'utf8'))
  const replay = await runCommand(testOperatorCommand(), ...words, '--replay', at('first.json'))
  assert.equal(replay.code, 1)
  assert.match(replay.out, /^DATA LOST: Secret default\/d-ssl-internal is missing\n/)
})

test('--never: the first change after which an expression is true is told', async () => {
  const { findings } = await searchOperator({
    operator: crashBetweenSecrets(true),
    install: [databases(SIZE)],
    samples: [database({ size: 1 })],
    never: ['objects.filter(o, o.kind == "Secret").size() == 1', 'object.kind == "Pod"'],
  })
  const [first] = findings
  assert.match(first?.symptoms[0]?.text ?? '', /^Secret default\/d-ssl \(added\) makes it true in step 1$/)
  assert.ok(findings.every(({ symptoms }) => symptoms.every(({ rule }) => rule.startsWith('never: objects'))))
})

test('a search whose time is over judges nothing more, and says how much is left', async () => {
  const tried = { operator: crashBetweenSecrets(false), install: [databases(SIZE)], samples: [database({ size: 1 })] }
  const { findings, points } = await searchOperator({ ...tried, timeLimitMs: 1 })
  assert.deepEqual(findings, [])
  assert.equal(points.tried, 0)
  assert.ok(points.outOfTime > 0 && points.found === points.outOfTime + points.sameState, JSON.stringify(points))
})

test('an expression that is not valid is named', async () => {
  const wrong = { operator: crashBetweenSecrets(true), install: [], samples: [database({ size: 1 })], never: ['object.'] }
  await assert.rejects(searchOperator(wrong), /^Error: --never 'object\.': /)
})

test('a sample that the API server refuses is named', async () => {
  const refused = { operator: crashBetweenSecrets(true), install: [databases(SIZE)], samples: [database({ size: 'large' })] }
  await assert.rejects(searchOperator(refused), /^Error: step 1 \(create\) is refused: .*\.spec\.size: expected numeric/)
})

test('an operator that makes ten objects, one after the other, has no fault: no time passes between its writes', async () => {
  const operator = standIn([], async ({ database: { metadata }, client }) => {
    for (let i = 0; i < 10; i++) {
      const target = { ...CONFIG_MAPS, namespace: 'default', name: `map-${i}` }
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: target.name, labels: { of: metadata.name ?? '' } } }
      await client.patch(target, 'apply', map, { fieldManager: 'databases' })
    }
  })
  const sample = database({})
  const steps = [{ name: 'create', apply: [sample] }]
  assert.deepEqual(symptomsOf(await searchOperator({ operator, install: [databases({})], samples: [sample], steps })), [])
})

test('an operator that ends by chance while its usual run is recorded is recorded again, and faults are tried', async () => {
  const operator = crashBetweenSecrets(false)
  let lives = 0
  // The first life shows which kinds it changes.
  const unlucky: typeof operator = (life) => (++lives === 2 ? Promise.reject(new Error('by chance')) : operator(life))
  const found = await searchOperator({ operator: unlucky, install: [databases(SIZE)], samples: [database({ size: 1 })] })
  assert.ok(found.points.tried > 0)
  assert.ok(found.findings.length > 0 && !symptomsOf(found).some((text) => text.includes('by chance')), symptomsOf(found).join('\n'))
})

/**
 * `searchOperator` with an operator that is a program: one with controller-runtime, whose mistakes are found, and that has none without
 * them.
 */
import assert from 'node:assert/strict'
import path from 'node:path'
import { before, suite, test } from 'node:test'
import { folderOf, runCommand } from '../../src/cli/run-command.double.ts'
import { testOperatorCommand } from '../../src/cli/test-operator.ts'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import type { WorkStep } from '../../src/testing/operator-search/work-step.ts'
import { goPrograms } from '../go-program.ts'
import { database, databases } from './operator-search/stand-in.ts'

const SIZE = { size: { type: 'integer' } }

suite('an operator with controller-runtime', () => {
  let program: Awaited<ReturnType<typeof goPrograms>>
  before(async () => {
    program = await goPrograms('operator')
  })

  const SAMPLE = database({ size: 1 })
  const CREATE = { name: 'create', apply: [SAMPLE] }
  const AGAIN = [CREATE, { name: 'delete', remove: [SAMPLE] }, CREATE]

  /** `HARM, FAULT: SYMPTOM`; of one kind of faults alone, or of all. */
  const found = async (mistake: string, steps: readonly WorkStep[], kind?: 'stale') => {
    const operator = { command: [path.join(program.bin, 'operator')], env: { MISTAKE: mistake, ELECT: 'yes' } }
    const one = kind && { replay: [{ steps, fault: { kind, what: '' } }] }
    const { findings } = await searchOperator({ operator, install: [databases(SIZE)], samples: [SAMPLE], steps, patienceMs: 5000, ...one })
    return findings.map(({ harm, fault, symptoms }) => `${harm}, ${fault?.kind ?? 'no fault'}: ${symptoms[0]?.text}`)
  }

  for (const [mistake, steps, kind, symptom] of [
    ['crash', [CREATE], undefined, 'data lost, crash: Secret default/d-ssl-internal is missing'],
    ['stale', AGAIN, 'stale', 'data lost, stale: PersistentVolumeClaim default/data-d is deleted once, not never'],
  ] as const)
    test(`its mistake is found (${mistake})`, async (t) => {
      if (program.why !== undefined) return t.skip(program.why)
      assert.deepEqual(await found(mistake, steps, kind), [symptom])
    })

  test('mended, it has no fault', async (t) => {
    if (program.why !== undefined) return t.skip(program.why)
    assert.deepEqual(await found('', AGAIN), [])
  })

  test('a crash is reported with its output', async (t) => {
    const at = folderOf(t, { 'crd.json': JSON.stringify(databases(SIZE)), 'sample.json': JSON.stringify(database({ size: 1 })) })
    const words = ['--search', '--patience', '1', '--install', at('crd.json'), '--sample', at('sample.json')]
    const { code, out } = await runCommand(testOperatorCommand(), ...words, process.execPath, '-e', 'throw new Error("no nets")')
    assert.equal(code, 1)
    assert.match(out, /^STUCK: it has ended with exit code 1: [\s\S]*no nets/)
  })
})

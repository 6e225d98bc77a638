/** `testOperator` and `bowsprit test-operator`: a small operator passes; each fault that is planted in it is found, by the rule that it breaks. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { KubeObject } from '../src/machinery/object.ts'
import { customResourceDefinition } from '../src/testing/builders.ts'
import { type OperatorTrialReport, testOperator } from '../src/testing/operator-trial/test-operator.ts'
import { runProgram } from './run-program.ts'

const program = [process.execPath, '--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, 'operator-trial', 'gadgets.ts')]
const main = path.join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
const install = [customResourceDefinition({ group: 'example.com', kind: 'Gadget' })]
const samples: KubeObject[] = [{ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } }]

const said = ({ steps }: OperatorTrialReport) => steps.map((s) => `${s.outcome} ${s.rule}: ${s.why ?? ''}`).join('\n')

test('a good operator gets an A: its permissions are found, and the page shows its requests', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-trial-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: unknown) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content))
    return path.join(folder, name)
  }
  const rule = (group: string, resources: string[], verbs: string[]) => ({ apiGroups: [group], resources, verbs })
  const rules = [
    rule('', ['configmaps', 'secrets'], ['create', 'list', 'watch']),
    rule('example.com', ['gadgets'], ['list', 'watch', 'delete']),
    rule('example.com', ['gadgets/status'], ['patch']),
  ]
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'gadgets' }, rules }
  const html = path.join(folder, 'report.html')
  const files = [
    '--install',
    file('crd.json', install[0]),
    '--sample',
    file('gadget.json', samples[0]),
    '--role',
    file('role.json', role),
    '--html',
    html,
  ]
  const words = ['--disable-warning=ExperimentalWarning', main, 'test-operator', ...files, ...program]
  const { code, out, err } = await runProgram(process.execPath, words, { timeoutMs: 240_000 })
  assert.deepEqual([code, err], [0, ''], out)
  assert.match(out, /grade A \(18 passed, 0 failed, 0 skipped\)/)
  assert.match(out, /asked for and not used in this trial: delete gadgets\.example\.com$/m)
  assert.match(out, /resources: \[configmaps, secrets\]\n {2}verbs: \[create, list, watch\]/)
  assert.match(readFileSync(html, 'utf8'), /title="\d+ ms, run 1: create \/api\/v1\/namespaces\/default\/configmaps → 201"/)
})

for (const [fault, rule, why] of [
  [
    'forgetful',
    'killed after its write number 1, it goes on where it was',
    /killed after create configmaps default.*Secret default\/g is missing/,
  ],
  ['busy', 'it asks for nothing while nothing happens', /requests in 2 seconds in which nothing happened: \d+ × list gadgets default/],
  ['blind', 'what is deleted by hand comes back', /ConfigMap g was deleted by hand: ConfigMap default\/g is missing/],
  ['chatty', 'it writes nothing when nothing of its concern has changed', /which changed nothing: \d+ × patch gadgets\/status default\/g/],
  ['leaves', 'a deleted sample goes, and what was made for it', /still there: ConfigMap g, Secret g/],
  ['deaf', 'it ends when it is told to (SIGTERM)', /still ran ten seconds after SIGTERM/],
] as const)
  test(`a planted fault is found: ${fault}`, async () => {
    const only = new RegExp(`^${rule.replaceAll(/[()]/g, '\\$&')}$`)
    const report = await testOperator({
      command: program,
      env: { FAULT: fault },
      install,
      samples,
      only,
      quietMs: 700,
      patienceMs: 15_000,
      killPoints: 2,
    })
    assert.deepEqual(
      report.steps.map((s) => [s.rule === rule ? 'it' : 'first', s.outcome]),
      [
        ['first', 'passed'],
        ['it', 'failed'],
      ],
      said(report),
    )
    assert.match(report.steps[1]?.why ?? '', why)
    assert.equal(report.grade, 'B')
  })

for (const [what, command, why] of [
  ['is not there', ['/nowhere/operator'], /it has ended: spawn \/nowhere\/operator ENOENT/],
  ['ends at once', [process.execPath, '-e', 'console.error("no cluster for me"); process.exit(3)'], /it has ended: no cluster for me/],
  ['never asks for anything', [process.execPath, '-e', 'setInterval(() => {}, 1000)'], /it never asked the API server for anything/],
] as const)
  test(`an operator that ${what} gets an F, and nothing else is tried`, async () => {
    const report = await testOperator({ command, install, samples, patienceMs: 1500, quietMs: 500 })
    assert.equal(report.grade, 'F')
    assert.equal(report.steps[0]?.outcome, 'failed')
    assert.match(report.steps[0]?.why ?? '', why)
    assert.ok(report.steps.slice(1).every((s) => s.outcome === 'skipped'))
  })

test('a sample that the cluster has no kind for is named', async () => {
  const report = await testOperator({ command: program, install: [], samples, patienceMs: 1500 })
  assert.match(report.steps[0]?.why ?? '', /the cluster has no Gadget of example\.com\/v1: name its definition with --install/)
})

/** `testOperator` and `bowsprit test-operator`: a small operator passes; each injected fault is found by the rule that it breaks. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, suite, test } from 'node:test'
import { build } from 'esbuild'
import type { KubeObject } from '../../src/machinery/object.ts'
import { customResourceDefinition } from '../../src/testing/builders.ts'
import { programsWith } from '../../src/testing/operator-trial/program/running-programs.ts'
import { type OperatorTrial, type OperatorTrialReport, testOperator } from '../../src/testing/operator-trial/test-operator.ts'
import { until } from '../../src/testing/operator-trial/until.ts'
import { freePort } from '../free-port.ts'
import { runProgram } from '../run-program.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-trial-test-'))
after(() => rmSync(folder, { recursive: true }))
// Bundled, because it is started often and starts faster.
const bundle = path.join(folder, 'gadgets.mjs')
await build({
  entryPoints: [path.join(import.meta.dirname, 'operator-trial', 'gadgets.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'error',
})
const program = [process.execPath, bundle]
const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const install = [customResourceDefinition({ group: 'example.com', kind: 'Gadget' })]
const samples: KubeObject[] = [{ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } }]

const said = ({ steps }: OperatorTrialReport) => steps.map((s) => `${s.outcome} ${s.rule}: ${s.why ?? ''}`).join('\n')

// Trials mostly wait, so that running them concurrently takes a third of the time.
test('SIGINT in the middle of a trial leaves no process and no folder', async () => {
  const temporary = mkdtempSync(path.join(folder, 'temporary-'))
  const file = (name: string, content: unknown) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content))
    return path.join(folder, name)
  }
  const files = ['--install', file('sigint-crd.json', install[0]), '--sample', file('sigint-gadget.json', samples[0])]
  const script = 'console.log("up"); setInterval(() => {}, 1000)'
  const words = ['--disable-warning=ExperimentalWarning', main, 'test-operator', ...files, process.execPath, '-e', script]
  const child = spawn(process.execPath, words, { env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  assert.ok(
    await until(
      () => programsWith(temporary).some(({ command }) => command.includes('setInterval') && !command.includes('main.ts')),
      60_000,
    ),
  )
  child.kill('SIGINT')
  assert.equal((await ended)[0], 130)
  assert.ok(await until(() => programsWith(temporary).length === 0, 5000))
  const left = readdirSync(temporary)
  assert.deepEqual(
    left.filter((name) => name.startsWith('operator-trial')),
    [],
  )
})

suite('trials of operators', { concurrency: 4 }, () => {
  test('a good operator gets an A: its permissions are found, and the page shows its requests', async () => {
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
      '--quiet',
      '0.5',
    ]
    const words = ['--disable-warning=ExperimentalWarning', main, 'test-operator', ...files, ...program]
    const { code, out, err } = await runProgram(process.execPath, words, { timeoutMs: 240_000 })
    assert.deepEqual([code, err], [0, ''], out)
    assert.match(out, /grade A \(19 passed, 0 failed, 0 skipped\)/)
    assert.match(out, /asked for and not used in this trial: delete gadgets\.example\.com$/m)
    assert.match(out, /resources: \[configmaps, secrets\]\n {2}verbs: \[create, list, watch\]/)
    assert.match(readFileSync(html, 'utf8'), /title="\d+ ms, run 1: create \/api\/v1\/namespaces\/default\/configmaps → 201"/)
  })

  /** Faults that can be injected together, each with the rule that it breaks. */
  async function finds(
    command: readonly string[],
    faults: Readonly<Record<string, readonly [rule: string, why: RegExp]>>,
    more: Partial<OperatorTrial> = {},
  ) {
    const rules = Object.values(faults).map(([rule]) => rule.replaceAll(/[()]/g, '\\$&'))
    const report = await testOperator({
      command,
      env: { FAULT: Object.keys(faults).join(',') },
      install,
      samples,
      only: new RegExp(`^(${rules.join('|')})$`),
      quietMs: 400,
      patienceMs: 5000,
      ...more,
    })
    const [first, ...steps] = report.steps
    assert.equal(first?.outcome, 'passed', said(report))
    assert.deepEqual(
      new Set(steps.map((s) => `${s.outcome} ${s.rule}`)),
      new Set(Object.values(faults).map(([rule]) => `failed ${rule}`)),
      said(report),
    )
    for (const [rule, why] of Object.values(faults)) assert.match(steps.find((s) => s.rule === rule)?.why ?? '', why)
    assert.ok(steps.every((s) => s.scene !== undefined && s.scene.calls.length > 0))
  }

  test('faults without failures are found, each by the rule that it breaks; webhooks are called on this machine', async () => {
    const webhookPort = await freePort()
    const clientConfig = { service: { name: 'gadgets', namespace: 'system', path: '/validate' } }
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['gadgets'] }]
    const hook = { name: 'gadgets.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }
    const hooks = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'gadgets' },
      webhooks: [hook],
    }
    await finds(
      [...program, '{certs}', `${webhookPort}`],
      {
        busy: ['it asks for nothing while nothing happens', /requests in 2 seconds in which nothing happened: \d+ × list gadgets default/],
        chatty: [
          'it writes nothing when nothing of its concern has changed',
          /which changed nothing: \d+ × patch gadgets\/status default\/g/,
        ],
        impure: ['a dry run leads to no write', /1 writes after a dry run: 1 × create configmaps default/],
        deaf: ['it ends when it is told to (SIGTERM)', /still ran 5 seconds after SIGTERM/],
        stamps: ['started again it writes nothing where nothing has changed', /patch gadgets default\/g/],
        blind: ['what is deleted by hand comes back', /ConfigMap g was deleted by hand: ConfigMap default\/g is missing/],
        leaves: ['a deleted sample goes, and what was made for it', /still there: .*Secret g/],
        forgetful: [
          'killed after its write number 1, it goes on where it was',
          /killed after create configmaps default.*Secret default\/g is missing/,
        ],
      },
      { install: [...install, hooks], webhookPort },
    )
  })

  // Alone: events are late where watches break, too.
  test('objects that are made twice when events are late are found', () =>
    finds(
      program,
      { twice: ['watch events that come late change nothing of the result', /is there \d+ times, not 1/] },
      // A busy machine needs longer until the operator is done.
      { patienceMs: 20_000 },
    ))

  test('faults of bad times are found, each by the rule that it breaks', () =>
    finds(program, {
      skewed: ['a jump of time by a day changes nothing of the result', /it still writes.*configmaps|ConfigMap default\/g is missing/],
      'watches once': [
        'watches that break change nothing of the result',
        /ConfigMap g was deleted by hand: ConfigMap default\/g is missing/,
      ],
      'gives up': ['what somebody else has just changed is updated all the same', /Gadget default\/g: \.status\.made is absent, not true/],
      impatient: ['an API server that is slow changes nothing of the result', /\.status\.made is absent, not true/],
      swallows: ['each write fails, and is tried again', /\.status\.made is absent, not true/],
    }))

  test('a permission that is used but not declared is found, and named', async () => {
    const rule = (group: string, resources: string[], verbs: string[]) => ({ apiGroups: [group], resources, verbs })
    const rules = [
      rule('', ['configmaps', 'secrets'], ['list', 'watch']),
      rule('', ['configmaps'], ['create']),
      rule('example.com', ['gadgets'], ['list', 'watch']),
    ]
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'gadgets' }, rules }
    const only = /^it uses no permission/
    const report = await testOperator({ command: program, install, samples, roles: [role], only, quietMs: 400, patienceMs: 5000 })
    const [, step] = report.steps
    assert.deepEqual([step?.outcome, step?.why], ['failed', 'create secrets, patch gadgets/status.example.com'], said(report))
    assert.equal(report.grade, 'B')
  })

  test('updates that write over what others wrote are found', () =>
    finds(program, {
      stale: ['what somebody else has just changed is updated all the same', /lost: Gadget g was written over from an older copy/],
    }))

  test('finalizers that stay, and an end with each watch, are found', () =>
    finds(program, {
      keeps: ['a deleted sample goes, and what was made for it', /still there: Gadget g/],
      dies: ['watches that break change nothing of the result', /it has ended with exit code 1/],
    }))

  test('an operator that updates whole objects with their resource version, and removes its finalizers, is not accused', async () => {
    const report = await testOperator({
      command: program,
      env: { FAULT: 'careful' },
      install,
      samples,
      only: /somebody else|a deleted sample|watches that break|each write fails|jump of time/,
      quietMs: 400,
      patienceMs: 8000,
    })
    assert.equal(report.grade, 'A', said(report))
    assert.equal(report.steps.length, 6)
  })

  for (const [what, command, why] of [
    ['is not there', ['/nowhere/operator'], /it has ended: spawn \/nowhere\/operator ENOENT/],
    [
      'ends at once',
      [process.execPath, '-e', 'console.error("no cluster for me"); process.exit(3)'],
      /it has ended with exit code 3: no cluster for me/,
    ],
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
})

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { runProgram } from '../run-program.ts'
import { walkGuide } from '../walked-guide.ts'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const bowsprit = (...args: string[]) => `'${process.execPath}' --disable-warning=ExperimentalWarning '${main}' ${args.join(' ')}`

test('the page about snapshots can be followed', { timeout: 120_000 }, (t) => walkGuide('snapshots', t))

test('the tests on the page pass', { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = path.join(import.meta.dirname, '..', '..')
  const [, written = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(path.join(root, 'docs', 'snapshots.md'), 'utf8')) ?? []
  assert.ok(written.includes("'bowsprit/testing'"))
  const file = path.join(folder, 'prepared.mjs')
  writeFileSync(file, written.replace("'bowsprit/testing'", JSON.stringify(path.join(root, 'src', 'testing', 'testing.ts'))))
  const env = { HOME: folder, NODE_TEST_CONTEXT: '' }
  const { code, out, err } = await runProgram(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env,
    timeoutMs: 50_000,
  })
  assert.equal(code, 0, `${out}\n${err}`)
  assert.match(out, /pass 2\b/)
})

test('the command line names what is wrong with a snapshot, and writes nothing', { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(path.join(folder, 'other.yaml'), 'kind: Pod\n')
  const up = (args: string) => runProgram('sh', ['-c', bowsprit('up', '--port 0', args)], { cwd: folder, timeoutMs: 30_000 })
  for (const [args, said] of [
    ['--from other.yaml', 'other.yaml is no snapshot of a cluster'],
    ['--from missing', '"missing" does not exist'],
  ] as const) {
    const { code, err } = await up(args)
    assert.deepEqual([code, err.includes(said), err.includes('    at ')], [2, true, false], err)
  }
})

test('a cluster that kubectl prepared is saved when it ends, and restored from the file', { timeout: 110_000 }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const kubectl = `'${kubectlPath('36')}'`
  const script = `
    trap 'kill $(jobs -p) 2>/dev/null' EXIT
    ready() { for i in $(seq 300); do [ -s $1 ] && return; sleep 0.1; done; exit 9; }
    ${bowsprit('up', '--ephemeral --nodes 2 --port 0 --kubeconfig first.yaml --save-on-exit saved')} & up=$!
    ready first.yaml
    ${kubectl} --kubeconfig first.yaml create deployment web --image=nginx --replicas=2
    ${kubectl} --kubeconfig first.yaml rollout status deployment web
    ${kubectl} --kubeconfig first.yaml get pods -o name > pods-before
    kill $up; wait $up
    ${bowsprit('up', '--from saved --port 0 --kubeconfig second.yaml')} & up=$!
    ready second.yaml
    ${kubectl} --kubeconfig second.yaml get pods -o name > pods-after
    ${kubectl} --kubeconfig second.yaml scale deployment web --replicas=3
    ${kubectl} --kubeconfig second.yaml rollout status deployment web
    ${kubectl} --kubeconfig second.yaml get nodes,pods
  `
  const { code, out, err } = await runProgram('bash', ['-c', script], { cwd: folder, timeoutMs: 100_000 })
  assert.equal(code, 0, `${out}\n${err}`)
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  assert.equal(read('pods-after'), read('pods-before'))
  assert.equal(statSync(path.join(folder, 'saved')).mode & 0o777, 0o600)
  assert.match(out, /node\/node-2 .*Ready/)
  assert.equal(out.match(/^pod\/web-\S+ +1\/1 +Running +0 /gm)?.length, 3, out)
})

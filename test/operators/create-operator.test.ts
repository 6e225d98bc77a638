/**
 * `npm create bowsprit-operator` as its users have it: packed, run, and its project installed from tarballs and tested, in two commands.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { builtPackage } from '../built-package.ts'
import { runProgram } from '../run-program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const create = path.join(root, 'packages', 'create-bowsprit-operator', 'create.mjs')
const folder = mkdtempSync(path.join(os.tmpdir(), 'create-operator-'))

const pack = (from: string) => {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const said = JSON.parse(execFileSync('npm', words, { cwd: from, encoding: 'utf8' })) as Record<string, { filename: string }>
  return path.join(folder, Object.values(said)[0]?.filename ?? '')
}

// The tests of the project are not tests of this one. The machine's own node may be older than what the package asks for.
const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }

suite('npm create bowsprit-operator', () => {
  let bowsprit = ''
  let program = ''
  before(() => {
    bowsprit = builtPackage().tarball
    const tarball = pack(path.dirname(create))
    execFileSync('tar', ['-xzf', tarball, '-C', folder])
    program = path.join(folder, 'package', 'create.mjs')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('makes a project that passes its tests in two commands, and whose types hold', async () => {
    const project = path.join(folder, 'proxies')
    const words = [program, project, '--kind', 'Proxy', '--group', 'net.example.org', '--bowsprit', bowsprit]
    const made = await runProgram(process.execPath, words, { env })
    assert.deepEqual([made.code, made.err], [0, ''])
    const installed = await runProgram('npm', ['install', '--offline', '--no-audit', '--no-fund'], {
      cwd: project,
      env,
      timeoutMs: 120_000,
    })
    assert.equal(installed.code, 0, installed.err)
    const tested = await runProgram('env', ['-u', 'NODE_TEST_CONTEXT', 'npm', 'test'], { cwd: project, env, timeoutMs: 120_000 })
    assert.equal(tested.code, 0, `${tested.out}${tested.err}`)
    assert.match(tested.out, /pass 2/)

    for (const types of ['@types/node', 'undici-types'])
      cpSync(path.join(root, 'node_modules', types), path.join(project, 'node_modules', types), { recursive: true, dereference: true })
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const compiled = await runProgram(process.execPath, [tsc, '-p', project], { timeoutMs: 60_000 })
    assert.equal(compiled.code, 0, compiled.out)

    assert.equal(existsSync(path.join(project, '.gitignore')), true)
    const manifests = await runProgram('npm', ['run', '-s', 'manifests'], { cwd: project, env })
    const { items } = JSON.parse(manifests.out) as { items: { kind: string; metadata: { name: string } }[] }
    assert.deepEqual(
      items.map((o) => `${o.kind} ${o.metadata.name}`),
      [
        'CustomResourceDefinition proxies.net.example.org',
        'Namespace proxies',
        'ServiceAccount proxies',
        'ClusterRole proxies',
        'ClusterRoleBinding proxies',
        'Deployment proxies',
      ],
    )
    assert.match(readFileSync(path.join(project, 'src', 'controller.ts'), 'utf8'), /for: Proxy,/)
  })

  for (const [words, message] of [
    [[], /name one folder/],
    [['a', 'b'], /name one folder/],
    [['Bad Name'], /is no name/],
    [['x', '--kind', 'gadget'], /is no kind/],
    [['x', '--group', 'nothing'], /is no API group/],
    [['x', '--bowsprit', 'nowhere.tgz'], /nowhere\.tgz is not there/],
    [['x', '--colour'], /Unknown option '--colour'/],
    [[root], /is not empty/],
  ] as const)
    test(`${words.join(' ').replace(root, 'a folder with something in it') || 'nothing'} is refused with a reason and the usage`, async () => {
      const { code, out, err } = await runProgram(process.execPath, [create, ...words], { cwd: folder })
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, message)
      assert.match(err, /usage: npm create bowsprit-operator FOLDER/)
      assert.equal(existsSync(path.join(folder, 'x')), false)
    })
})

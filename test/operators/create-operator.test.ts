/**
 * `bowsprit create operator` as its users have it: from the installed tarball, and its project installed and tested in two commands.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { builtPackage } from '../built-package.ts'
import { runProgram } from '../run-program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'create-operator-'))

// The tests of the project are not tests of this one. The machine's own node may be older than what the package asks for.
const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']
const npm = (cwd: string, ...words: readonly string[]) =>
  runProgram('env', ['-u', 'NODE_TEST_CONTEXT', 'npm', ...words], { cwd, env, timeoutMs: 180_000 })

suite('bowsprit create operator', () => {
  before(async () => {
    writeFileSync(path.join(folder, 'package.json'), '{}')
    const installed = await npm(
      folder,
      ...INSTALL,
      '--install-links',
      builtPackage().tarball,
      path.join(root, 'packages', 'create-bowsprit-operator'),
    )
    assert.equal(installed.code, 0, installed.err)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const create = (...words: readonly string[]) => npm(folder, 'exec', '--offline', '--', 'bowsprit', 'create', 'operator', ...words)

  test('makes a project that passes its tests in two commands, and whose types hold', async () => {
    const project = path.join(folder, 'proxies')
    const made = await create(project, '--kind', 'Proxy', '--group', 'net.example.org')
    assert.deepEqual([made.code, made.err], [0, ''])
    const installed = await npm(project, ...INSTALL)
    assert.equal(installed.code, 0, installed.err)
    const tested = await npm(project, 'test')
    assert.equal(tested.code, 0, `${tested.out}${tested.err}`)
    assert.match(tested.out, /pass 2/)
    const compiled = await npm(project, 'run', 'types')
    assert.equal(compiled.code, 0, compiled.out)

    assert.equal(existsSync(path.join(project, '.gitignore')), true)
    const manifests = await npm(project, 'run', '-s', 'manifests')
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

  test('`npm create bowsprit-operator` is the same command', async () => {
    const made = await npm(folder, 'exec', '--offline', '--', 'create-bowsprit-operator', 'gadgets')
    assert.deepEqual([made.code, made.err], [0, ''])
    const { name, dependencies } = JSON.parse(readFileSync(path.join(folder, 'gadgets', 'package.json'), 'utf8')) as {
      name: string
      dependencies: Record<string, string>
    }
    assert.equal(name, 'gadgets')
    assert.equal(path.resolve(folder, 'gadgets', dependencies.bowsprit?.replace('file:', '') ?? ''), builtPackage().tarball)
  })
})

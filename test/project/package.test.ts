/**
 * The package as users get it: built, packed, installed into an empty folder from the tarball; then a program that uses all of it is
 * compiled with `tsc --strict`, including types of `bowsprit generate types`, and run, together with a cluster of `bowsprit up` of that
 * installation.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { loadKubeconfig } from '../../src/sdk/client/kubeconfig.ts'
import { builtPackage } from '../built-package.ts'
import { nodeProgram } from './node-versions.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-package-'))
const modules = path.join(folder, 'node_modules')
const bowsprit = path.join(modules, '.bin', 'bowsprit')

const run = (program: string, ...words: string[]) => execFileSync(program, words, { cwd: folder, encoding: 'utf8', timeout: 120_000 })

suite('the package', () => {
  before(() => {
    const { tarball } = builtPackage()
    cpSync(path.join(import.meta.dirname, 'consumer'), folder, { recursive: true })
    writeFileSync(path.join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n')
    run('npm', 'install', '--offline', '--no-audit', '--no-fund', tarball)
    // The dependencies of any TypeScript project on Node.
    for (const types of ['@types/node', 'undici-types'])
      cpSync(path.join(root, 'node_modules', types), path.join(modules, types), { recursive: true, dereference: true })
    writeFileSync(path.join(folder, 'gadget.ts'), run(process.execPath, bowsprit, 'generate', 'types', 'crd.yaml'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('is small, whole and brings nothing else', () => {
    const manifest = JSON.parse(readFileSync(path.join(modules, 'bowsprit', 'package.json'), 'utf8'))
    assert.equal(manifest.dependencies, undefined)
    const installed = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
    assert.deepEqual(Object.keys(installed.packages), ['node_modules/bowsprit'])
  })

  test('compiles in an empty folder, strictly, without skipping a declaration', () => {
    run(process.execPath, path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.')
  })

  for (const [name, version] of [
    ['the newest Node', undefined],
    ['Node 24', 'node-24'],
    ['Node 22', 'node-22'],
  ] as const) {
    const node = nodeProgram(version)
    test(`runs with ${name}, and so does its command`, { skip: node.skip }, async (t) => {
      const home = mkdtempSync(path.join(folder, 'cluster-'))
      await using cluster = await startUp(node.program, home)
      const flags = ['--kubeconfig', path.join(home, 'kubeconfig'), '--no-leader-elect', '--algorithm-module', 'out/first-free.js']
      const words = [bowsprit, 'scheduler', ...flags, '--algorithm-provider', 'FirstFree', '--scheduler-name', 'first-free']
      const scheduler = spawn(node.program, words, { cwd: folder, stdio: 'inherit' })
      t.after(() => scheduler.kill())
      assert.match(run(node.program, 'out/program.js', path.join(home, 'kubeconfig')), /all done/)
      // Its code is loaded by the first request: a part of the bundle of its own.
      assert.match(await metricsOf(readFileSync(path.join(home, 'kubeconfig'), 'utf8')), /^process_cpu_seconds_total \d/m)
      assert.equal(await cluster.stop(), 0)
    })
  }
})

async function metricsOf(kubeconfig: string): Promise<string> {
  const { server, ca, cert, key } = await loadKubeconfig(kubeconfig)
  const request = https.get(`${server}/metrics`, { ca, cert, key })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return text
}

/** `bowsprit up` of the installed package, when it reports that it is up. */
async function startUp(node: string, home: string): Promise<{ stop(): Promise<number | null> } & AsyncDisposable> {
  const child = spawn(node, [bowsprit, 'up', '--port', '0', '--data-dir', home], { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = await untilSaid(child, /Bowsprit is up/)
  assert.match(said, /Bowsprit is up/)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill('SIGTERM')
    await once(child, 'exit')
    return child.exitCode
  }
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}

async function untilSaid({ stdout, stderr }: ChildProcess, wanted: RegExp): Promise<string> {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  for await (const part of stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    text += part
    if (wanted.test(text)) break
  }
  return text
}

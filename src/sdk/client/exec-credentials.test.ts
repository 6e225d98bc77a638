import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { credentialOf, ExecCredentialError, execCredentials } from './exec-credentials.ts'
import { loadKubeconfigFile } from './kubeconfig.ts'

const API = 'client.authentication.k8s.io/v1'

/** A plugin that runs `code`, in a folder of its own. */
function plugin(t: { after(fn: () => void): void }, code: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'exec-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(path.join(folder, 'plugin.mjs'), code)
  const exec = {
    command: process.execPath,
    args: [path.join(folder, 'plugin.mjs')],
    env: {},
    apiVersion: API,
    installHint: '',
    cluster: undefined,
    folder,
  }
  return { folder, exec }
}

const printing = (status: string) =>
  `import { appendFileSync } from 'node:fs'
appendFileSync(new URL('./runs', import.meta.url), process.env.KUBERNETES_EXEC_INFO + '\\n')
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${API}', status: ${status} }))`

test('a plugin runs once while its credential is valid, for all callers, and again afterwards', async (t) => {
  const { folder, exec } = plugin(t, printing(`{ token: 't' + Math.random(), expirationTimestamp: '2026-01-01T00:10:00Z' }`))
  const clock = new VirtualClock()
  const credentials = execCredentials(exec, { clock })
  const [first, second] = await Promise.all([credentials(), credentials()])
  assert.equal(first.token, second.token)
  assert.equal((await credentials()).token, first.token)
  await clock.advance(600_000)
  assert.notEqual((await credentials()).token, first.token)
  const runs = readFileSync(path.join(folder, 'runs'), 'utf8').trim().split('\n')
  assert.deepEqual(
    runs.map((run) => JSON.parse(run)),
    Array(2).fill({ kind: 'ExecCredential', apiVersion: API, spec: { interactive: false } }),
  )
})

test('a plugin that is not there, fails, or prints something else is named', async (t) => {
  const why = async (code: string, more: object = {}) =>
    execCredentials({ ...plugin(t, code).exec, ...more })().then(
      () => 'ok',
      (e) => (e instanceof ExecCredentialError ? e.message : String(e)),
    )
  assert.match(
    await why('', { command: 'no-such-plugin', installHint: 'Install it.' }),
    /executable no-such-plugin not found\n\nInstall it\.$/,
  )
  assert.match(await why('process.exit(3)'), /failed with exit code 3$/)
  assert.match(await why('console.log("no JSON")'), /^decoding stdout of /)
  assert.match(await why('process.stdout.write("x".repeat(3 << 20))'), /printed more than 1048576 bytes$/)
})

for (const [name, answer, expected] of [
  [
    'another version',
    { apiVersion: 'client.authentication.k8s.io/v1beta1', status: {} },
    /configured to use API version .*v1, plugin returned version .*v1beta1$/,
  ],
  ['no status', { apiVersion: API }, /didn't return a status field/],
  ['nothing', { apiVersion: API, status: {} }, /didn't return a token or cert\/key pair/],
  ['half a pair', { apiVersion: API, status: { clientKeyData: 'k' } }, /only certificate or key, not both/],
  ['no object', null, /plugin returned version undefined/],
] as const) {
  test(`an answer that is no credential: ${name}`, () => assert.throws(() => credentialOf(answer, { apiVersion: API }), expected))
}

test("a kubeconfig gets its token, or its certificate, from a plugin beside it, with the cluster's data if wanted", async (t) => {
  const { folder } = plugin(t, printing(`{ token: process.env.WHO + process.argv[2] }`))
  const write = (exec: object) =>
    writeFileSync(
      path.join(folder, 'config'),
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { exec } }],
      }),
    )
  const exec = {
    apiVersion: API,
    command: process.execPath,
    args: [path.join(folder, 'plugin.mjs'), '!'],
    env: [{ name: 'WHO', value: 'me' }],
    interactiveMode: 'Never',
  }
  write({ ...exec, provideClusterInfo: true })
  const { token } = await loadKubeconfigFile(path.join(folder, 'config'))
  assert.equal(typeof token === 'function' ? await token() : token, 'me!')
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, 'runs'), 'utf8')).spec.cluster, { server: 'https://127.0.0.1:1' })
  writeFileSync(path.join(folder, 'plugin.mjs'), printing(`{ clientCertificateData: 'C', clientKeyData: 'K' }`))
  const { cert, key } = await loadKubeconfigFile(path.join(folder, 'config'))
  assert.deepEqual([cert, key], ['C', 'K'])
  write({ apiVersion: API })
  await assert.rejects(loadKubeconfigFile(path.join(folder, 'config')), /command must be specified for u to use exec authentication plugin/)
})

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { CredentialConfigError, readCredentialConfig } from './credential-config.ts'
import { loginsFor, loginsOf } from './docker-config.ts'
import { ExecProvider, ProviderError } from './exec-provider.ts'
import { matchesImage, repositoryOf } from './image-match.ts'
import { isRecorded, PullRecords } from './pull-records.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'images-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const MATCHES: readonly (readonly [pattern: string, image: string, wanted: boolean])[] = [
  ['registry.io', 'registry.io/team/app', true],
  ['registry.io/team', 'registry.io/team/app', true],
  ['registry.io/team', 'registry.io/other/app', false],
  ['*.example.com', 'eu.example.com/app', true],
  ['*.example.com', 'a.eu.example.com/app', false],
  ['registry.io:5000', 'registry.io/app', false],
  ['127.0.0.1:5000', '127.0.0.1:5000/app', true],
]
for (const [pattern, image, wanted] of MATCHES)
  test(`${pattern} ${wanted ? 'matches' : 'does not match'} ${image}`, () => assert.equal(matchesImage(pattern, image), wanted))

test('the repository of an image has its registry, and neither tag nor digest', () => {
  const names = ['busybox', 'team/app:1', 'localhost/app', 'r.io:5000/a/b:1@sha256:0', 'r.io:5000/a']
  const wanted = ['docker.io/library/busybox', 'docker.io/team/app', 'localhost/app', 'r.io:5000/a/b', 'r.io:5000/a']
  assert.deepEqual(names.map(repositoryOf), wanted)
})

test('of several logins for an image that of the longest place comes first', () => {
  const auth = Buffer.from('a:b:c').toString('base64')
  const logins = loginsOf({ 'https://r.io/v1/': { username: 'host' }, 'r.io/team': { auth }, 'other.io': {} })
  assert.deepEqual(
    loginsFor(logins, 'r.io/team/app').map(({ username, password }) => `${username} ${password}`),
    ['a b:c', 'host '],
  )
  const hub = loginsOf({ 'https://index.docker.io/v1/': { username: 'hub' } })
  assert.equal(loginsFor(hub, 'docker.io/library/busybox')[0]?.username, 'hub')
})

const PROVIDER = {
  name: 'provider',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  matchImages: ['r.io'],
  defaultCacheDuration: '1h',
}

function configured(...providers: readonly object[]) {
  const config = path.join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers }))
  return () => readCredentialConfig({ config, binDir: folder })
}

test('all errors of a configuration are reported together', () => {
  const bad = { name: 'a b', matchImages: [] }
  assert.throws(configured(bad, bad), (error: unknown) => {
    assert.ok(error instanceof CredentialConfigError)
    assert.match(error.message, /cannot contain spaces.*providers\.apiVersion: Required value.*at least 1 item.*Duplicate value: "a b"/)
    return true
  })
  assert.throws(configured({ ...PROVIDER, name: 'absent' }), /plugin binary executable {2}did not exist/)
})

function program(script: string): ExecProvider {
  const file = path.join(folder, 'provider')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  const [found] = configured(PROVIDER)()
  assert.ok(found)
  return new ExecProvider(found, systemClock)
}

const never = new AbortController().signal
const answer = (cacheKeyType: string, cacheDuration = '1h') =>
  JSON.stringify({
    apiVersion: PROVIDER.apiVersion,
    kind: 'CredentialProviderResponse',
    cacheKeyType,
    cacheDuration,
    auth: { 'r.io': { username: 'u' } },
  })

for (const [key, duration, calls] of [
  ['Image', '1h', 2],
  ['Registry', '1h', 1],
  ['Global', '1h', 1],
  ['Image', '0s', 3],
] as const)
  test(`an answer for each ${key} that may be kept for ${duration}: ${calls} calls`, async () => {
    const log = path.join(folder, `${key}${duration}`)
    const provider = program(`cat > /dev/null; echo >> ${log}; echo '${answer(key, duration)}'`)
    for (const image of ['r.io/a', 'r.io/b', 'r.io/a']) assert.equal((await provider.loginsFor(image, undefined, never)).size, 1)
    assert.equal(readFileSync(log, 'utf8').length, calls)
  })

test('a credential provider that fails, prints nothing or prints garbage yields no logins', async () => {
  const asked = (script: string) => program(script).loginsFor('r.io/a', undefined, never)
  const says = (pattern: RegExp) => (error: unknown) => error instanceof ProviderError && pattern.test(error.message)
  await assert.rejects(asked('exit 3'), says(/error execing credential provider plugin provider for image r.io\/a: exit status 3/))
  await assert.rejects(asked('true'), says(/unexpected end of JSON input/))
  await assert.rejects(asked(`echo '${answer('Moon')}'`), says(/did not return a valid cacheKeyType: Moon/))
})

test('who pulled an image may use it, and so may the same secret of another pod', async () => {
  const records = new PullRecords(folder)
  const secret = { uid: '1', namespace: 'n', name: 's', credentialHash: 'h' }
  await records.pulled('r.io/a', { image: 'r.io/a:1', imageRef: 'sha256:1', source: { secret }, nowMs: 0 })
  const record = await records.read('sha256:1')
  assert.ok(record)
  assert.ok(isRecorded(record, 'r.io/a', [{ secret }]))
  assert.ok(isRecorded(record, 'r.io/a', [{ secret: { ...secret, uid: '2' } }]))
  assert.ok(!isRecorded(record, 'r.io/a', [{ secret: { ...secret, uid: '2', credentialHash: 'other' } }]))
  assert.ok(!isRecorded(record, 'r.io/a', []))
  assert.ok(!isRecorded(record, 'r.io/b', [{ secret }]))
  await records.pulled('r.io/b', { image: 'r.io/b:1', imageRef: 'sha256:1', source: undefined, nowMs: 0 })
  const after = await records.read('sha256:1')
  assert.ok(after && isRecorded(after, 'r.io/b', []) && isRecorded(after, 'r.io/a', [{ secret }]))
})

test('pods that pull an image at the same time are all recorded, and its last pull ends the intent', async () => {
  const root = path.join(folder, 'at-once')
  const records = new PullRecords(root)
  const pull = { image: 'r.io/a:1', imageRef: 'sha256:1', nowMs: 0 }
  const accounts = Array.from({ length: 20 }, (_, i) => ({ uid: `${i}`, namespace: 'n', name: `a-${i}` }))
  const intents = () => readdirSync(path.join(root, 'image_manager', 'pulling')).length
  await Promise.all([...accounts, undefined].map(() => records.intend(pull.image)))
  await Promise.all(accounts.map((account) => records.pulled('r.io/a', { ...pull, source: { account } })))
  assert.equal(intents(), 1)
  await records.failed(pull.image)
  assert.equal(intents(), 0)
  const record = await records.read('sha256:1')
  assert.ok(record && accounts.every((account) => isRecorded(record, 'r.io/a', [{ account }])))
})

/**
 * `bowsprit apiserver` as a separate process: docs/apiserver.md and docs/audit.md, and its behaviour with files, signals and invalid flags.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-apiserver-'))
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const page = (name: string) => readFileSync(path.join(root, 'docs', name), 'utf8')
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map((m) => m[1] ?? '')
const PROGRAM = `'${process.execPath}' --disable-warning=ExperimentalWarning '${path.join(root, 'src/cli/main.ts')}'`

/** The server of the page, in the folder, with additional flags. */
async function startPage(...more: string[]) {
  const port = await freePort()
  const script = (blocks(page('apiserver.md'), 'sh')[0] ?? '')
    .replace('bowsprit apiserver', `${PROGRAM} apiserver`)
    .replace('--secure-port=6443', `--secure-port=${port}`)
    .trimEnd()
  const child = spawn('bash', ['-c', `${script} ${more.join(' ')}`], { cwd: folder, stdio: ['ignore', 'inherit', 'pipe'] })
  started.push(child)
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await waitFor(() => said.includes('serving at') || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error(`it did not start: ${said}`)
  return { port, child, ended, said: () => said }
}

interface Reply {
  readonly code: number
  readonly body: string
}

function get(port: number, url: string, options: https.RequestOptions = { headers: { authorization: 'Bearer a-secret' } }): Promise<Reply> {
  const ca = readFileSync(path.join(folder, 'certificates', 'apiserver.crt'))
  return new Promise((resolve, reject) => {
    const request = https.get({ host: '127.0.0.1', port, path: url, ca, agent: false, ...options }, async (answer) => {
      let body = ''
      for await (const part of answer) body += String(part)
      resolve({ code: answer.statusCode ?? 0, body })
    })
    request.on('error', reject)
  })
}

test('the page: it starts, is ready, and at a signal serves on without being ready, until it ends', async () => {
  const { port, child, ended } = await startPage()
  assert.deepEqual(await get(port, '/readyz'), { code: 200, body: 'ok' })
  assert.equal((await get(port, '/api/v1/namespaces/default')).code, 200)
  assert.match((await get(port, '/readyz?verbose')).body, /^\[\+\]shutdown ok$/m)
  child.kill('SIGTERM')
  let ready: Reply
  do ready = await get(port, '/readyz')
  while (ready.code === 200)
  assert.match(ready.body, /^\[-\]shutdown failed/m)
  assert.deepEqual([(await get(port, '/livez')).code, (await get(port, '/api/v1/namespaces')).code], [200, 200])
  assert.equal(await ended, 0)
})

test('authorities of clients are followed when their file changes', async () => {
  const authority = () => openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  const [one, other] = [authority(), authority()]
  const file = path.join(folder, 'clients.crt')
  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  replace(one.ca.certificate)
  const { port, child, ended } = await startPage('--client-ca-file=clients.crt', '--shutdown-delay-duration=0s')
  const as = (certificates: typeof one) => {
    const { certificate, key } = certificates.client({ commonName: 'ann', organizations: ['system:masters'] })
    return { cert: certificate, key }
  }
  const [ann, eve] = [as(one), as(other)]
  const standing = new https.Agent({ keepAlive: true, maxSockets: 1 })
  const url = '/api/v1/namespaces'
  const onStanding = () => get(port, url, { ...ann, agent: standing })
  assert.deepEqual([(await get(port, url, ann)).code, (await get(port, url, eve)).code, (await onStanding()).code], [200, 401, 200])
  replace('nothing of use')
  replace(other.ca.certificate)
  await waitFor(async () => (await get(port, url, eve)).code === 200, { what: 'the new authority' })
  assert.deepEqual([(await get(port, url, ann)).code, (await onStanding()).code], [401, 401])
  standing.destroy()
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test('audit: the policy of the page writes the events that it shows', async () => {
  writeFileSync(path.join(folder, 'policy.yaml'), blocks(page('audit.md'), 'yaml')[0] ?? '')
  const flags = ['--audit-policy-file=policy.yaml', '--audit-log-path=audit.jsonl', '--shutdown-delay-duration=0s']
  const { port, child, ended } = await startPage(...flags)
  for (const url of ['/healthz', '/api/v1/namespaces/default/secrets', '/version']) await get(port, url)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  const events = readFileSync(path.join(folder, 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((event) => (event.user as { username?: string }).username === 'admin')
  assert.deepEqual(
    events.map((e) => [e.level, e.stage, e.requestURI]),
    [
      ['Metadata', 'ResponseComplete', '/api/v1/namespaces/default/secrets'],
      ['Metadata', 'ResponseComplete', '/version'],
    ],
  )
})

test('browsers: scripts of allowed origins may read every response, and ask before they send', async () => {
  const flags = [
    "'--cors-allowed-origins=^https://a\\.example(:|$)'",
    '--strict-transport-security-directives=max-age=60,includeSubDomains',
  ]
  const { port, child } = await startPage(...flags)
  const ca = readFileSync(path.join(folder, 'certificates', 'apiserver.crt'))
  const ask = (method: string, url: string, origin: string) =>
    new Promise<readonly unknown[]>((resolve, reject) => {
      const request = https.request({ host: '127.0.0.1', port, path: url, ca, agent: false, method, headers: { origin } }, (response) => {
        const { headers, statusCode } = response.resume()
        resolve([statusCode, headers['access-control-allow-origin'], headers['strict-transport-security']])
      })
      request.on('error', reject).end()
    })
  const strict = 'max-age=60; includeSubDomains'
  for (const [method, url, origin, code, allowed] of [
    ['GET', '/version', 'https://a.example', 200, 'https://a.example'],
    ['GET', '/api/v1/namespaces', 'https://a.example:8080', 403, 'https://a.example:8080'],
    ['GET', '/version', 'https://a.example.org', 200, undefined],
    ['OPTIONS', '/api/v1/namespaces', 'https://a.example', 204, 'https://a.example'],
    ['OPTIONS', '/api/v1/namespaces', 'https://b.example', 403, undefined],
  ] as const)
    assert.deepEqual(await ask(method, url, origin), [code, allowed, strict], `${method} ${url} from ${origin}`)
  child.kill('SIGKILL')
})

test('the service kubernetes gets its node port; a watch that names no time ends after the least time', async () => {
  const { port, child } = await startPage('--kubernetes-service-node-port=30999 --min-request-timeout=1')
  const { spec } = JSON.parse((await get(port, '/api/v1/namespaces/default/services/kubernetes')).body)
  assert.deepEqual([spec.type, spec.ports[0].nodePort], ['NodePort', 30_999])
  assert.match((await get(port, '/api/v1/namespaces?watch=1')).body, /^{"type":"ADDED",/)
  child.kill('SIGKILL')
})

test('versions and resources that are switched off are not served, and are in no discovery', async () => {
  const { port, child } = await startPage('--runtime-config=batch/v1=false,apps/v1/deployments=false')
  const codes = async (...urls: string[]) => Promise.all(urls.map(async (url) => (await get(port, url)).code))
  assert.deepEqual(await codes('/apis/batch', '/apis/batch/v1', '/apis/batch/v1/jobs', '/apis/apps/v1/deployments'), [404, 404, 404, 404])
  assert.deepEqual(await codes('/apis/apps/v1', '/apis/apps/v1/statefulsets', '/api/v1/pods'), [200, 200, 200])
  const names = async (url: string) => JSON.parse((await get(port, url)).body)
  const { resources } = await names('/apis/apps/v1')
  assert.deepEqual(
    resources.filter(({ name }: { name: string }) => /deployments|statefulsets$/.test(name)).map(({ name }: { name: string }) => name),
    ['statefulsets'],
  )
  const { items } = await names('/apis/apiregistration.k8s.io/v1/apiservices')
  assert.equal(
    items.some(({ metadata }: { metadata: { name: string } }) => metadata.name === 'v1.batch'),
    false,
  )
  child.kill('SIGKILL')
})

for (const [words, says] of [
  ['--nothing=1', /Error: unknown flag: --nothing$/m],
  ['a-word', /Error: "kube-apiserver" does not take any arguments, got \["a-word"\]$/m],
  [
    '--audit-policy-file=none --audit-log-path=-',
    /"command failed" err="loading audit policy file: failed to read file path \\"none\\": open none: no such file/,
  ],
  ['--cors-allowed-origins=https://a,.*', /--cors-allowed-origins has an invalid regular expression: regular expression does not pin to /],
  ['--secure-port=70000', /"command failed" err="--secure-port 70000 must be between 1 and 65535, inclusive/],
] as const)
  test(`a mistake ends the start with 1 and kube-apiserver's words: ${words}`, async () => {
    await assert.rejects(startPage(words), says)
    assert.equal(started.at(-1)?.exitCode, 1)
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest, HttpResponse, PodNetwork } from '../runtime/pod-network.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import { runProbe } from './run-probe.ts'

const TARGET = { container: { name: 'main', image: 'app' }, containerId: 'c', podIp: '10.0.0.1' }

/** The outcome of a probe of `/a` with these responses, and the requests that it made. */
async function ask(answers: readonly HttpResponse[]) {
  const requested: string[] = []
  const network: Pick<PodNetwork, 'http'> = {
    async http({ scheme, host, port, path }: HttpRequest) {
      requested.push(`${scheme}://${host}:${port}${path}`)
      return answers[Math.min(requested.length, answers.length) - 1] ?? { status: 200, body: '' }
    },
  }
  const deps = { runtime: {} as Runtime, network: network as PodNetwork }
  const outcome = await runProbe(deps, { httpGet: { path: '/a', port: 80 } }, TARGET, new AbortController().signal)
  return { outcome, requested }
}

test('a redirect is followed on its own host, to whichever port, scheme and path', async () => {
  const { outcome, requested } = await ask([
    { status: 302, body: '', location: '/b?c' },
    { status: 308, body: '', location: 'https://10.0.0.1/d' },
    { status: 200, body: '' },
  ])
  assert.deepEqual(requested, ['http://10.0.0.1:80/a', 'http://10.0.0.1:80/b?c', 'https://10.0.0.1:443/d'])
  assert.deepEqual(outcome, { kind: 'success' })
})

for (const answer of [
  { status: 302, body: 'away', location: 'http://10.0.0.2/' },
  { status: 302, body: 'away' },
  { status: 304, body: 'away', location: '/b' },
])
  test(`a redirect to another host, or without a location, is not followed: ${JSON.stringify(answer)}`, async () => {
    const { outcome, requested } = await ask([answer])
    assert.deepEqual(outcome, { kind: 'warning', output: 'Probe terminated redirects, Response body: away' })
    assert.equal(requested.length, 1)
  })

test('redirects without an end fail after ten requests', async () => {
  const { outcome, requested } = await ask([{ status: 302, body: '', location: '/a' }])
  assert.deepEqual(outcome, { kind: 'failure', output: 'Get "/a": stopped after 10 redirects' })
  assert.equal(requested.length, 10)
})

for (const [timeoutSeconds, text] of [
  [undefined, '1s'],
  [59, '59s'],
  [90, '1m30s'],
] as const)
  test(`a command that takes longer than ${text} fails, and its limit is formatted as in Go`, async () => {
    const runtime: Pick<Runtime, 'execSync'> = {
      execSync: () => Promise.reject(new RuntimeError('deadline', 'late')),
    }
    const deps = { runtime: runtime as Runtime, network: {} as PodNetwork }
    const probe = { exec: { command: ['sh', '-c', 'x'] }, ...(timeoutSeconds && { timeoutSeconds }) }
    const outcome = await runProbe(deps, probe, TARGET, new AbortController().signal)
    assert.deepEqual(outcome, { kind: 'failure', output: `command timed out: "sh -c x" timed out after ${text}` })
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { HttpRequest, PodNetwork } from '../../runtime/pod-network.ts'
import type { Pod } from '../../types/pod.ts'
import { type HookDeps, runHook } from './run-hook.ts'

const POD: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [] }, status: {} }
const HOOK = { httpGet: { port: 8443, path: '/bye', scheme: 'HTTPS', httpHeaders: [{ name: 'Authorization', value: 'x' }] } } as const

/** Runs the hook against a server of the pod; `answers` fails by scheme. */
async function run(answers: (request: HttpRequest) => string | undefined) {
  const asked: HttpRequest[] = []
  const network: Pick<PodNetwork, 'http'> = {
    async http(request) {
      asked.push(request)
      const fault = answers(request)
      if (fault !== undefined) throw new Error(fault)
      return { status: 200, body: '' }
    },
  }
  const deps = { network, clock: new VirtualClock(), runtime: {} } as unknown as HookDeps
  const target = { pod: POD, container: { name: 'c', image: 'i' }, containerId: 'id', podIp: '10.0.0.1' }
  const fault = await runHook(deps, HOOK, target, new AbortController().signal).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const sent = asked.map(({ scheme, headers }) => `${scheme} ${headers.some(({ name }) => name === 'Authorization')}`)
  return { sent, fault }
}

const PLAIN = 'Get "https://10.0.0.1:8443/bye": http: server gave HTTP response to HTTPS client'

test('an HTTPS hook whose server speaks HTTP is sent again without TLS, without credentials', async () => {
  const { sent, fault } = await run(({ scheme }) => (scheme === 'https' ? PLAIN : undefined))
  assert.deepEqual([sent, fault], [['https true', 'http false'], undefined])
})

for (const [rule, answers, sent] of [
  ['when the second request fails too', () => PLAIN, ['https true', 'http false']],
  ['after any other failure', () => 'connection refused', ['https true']],
] as const) {
  test(`the hook fails with its first error ${rule}`, async () => {
    const seen = await run(answers)
    assert.deepEqual(seen.sent, sent)
    assert.match(seen.fault ?? '', new RegExp(`failed - error: ${answers()}`))
  })
}

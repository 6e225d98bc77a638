import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import type { Decision } from '../identity/authorizer.ts'
import { ServerMetrics } from '../metrics/server-metrics.ts'
import { authorize } from './authorize.ts'
import { AuditLostError, beginAudit } from './begin-audit.ts'
import { count } from './count.ts'
import { noteDeprecation, warnOfDeprecation } from './note-deprecation.ts'
import { pipelineDouble, RequestDouble } from './pipeline.double.ts'
import { routeCall } from './route-call.ts'

const WIDGETS = '/apis/example.com/v1/namespaces/ns/widgets'

/** An audit log whose backend takes the events, or does not, now or later. */
function audited(taken: boolean, later = false) {
  const events: AuditEvent[] = []
  const backend = {
    process(some: readonly AuditEvent[]) {
      events.push(...some)
      return later ? Promise.resolve(taken) : taken
    },
    async [Symbol.asyncDispose]() {},
  }
  const policy = { rules: [{ level: 'Metadata' as const, nonResourceURLs: [] }] }
  return { events, audit: createAuditLog(policy, { clock: new VirtualClock(), random: seededRandom(1), backend }) }
}

const annotationsOf = (events: readonly AuditEvent[]) => Object.fromEntries(events.at(-1)?.annotations ?? [])

const decisions: readonly (readonly [Decision, answer: string, decision: string | undefined, reason: string])[] = [
  [{ verdict: 'allow', reason: 'RBAC: x' }, 'goes on', 'allow', 'RBAC: x'],
  [{ verdict: 'deny', reason: 'no' }, '403 Forbidden', 'forbid', 'no'],
  [{ verdict: 'no-opinion', reason: '' }, '403 Forbidden', 'forbid', ''],
  [{ verdict: 'no-opinion', reason: '', error: 'webhook is down' }, '500 InternalError', undefined, 'internal error'],
]
for (const [decision, answer, verdict, reason] of decisions)
  for (const later of [false, true])
    test(`authorize: ${JSON.stringify(decision)}${later ? ', later' : ''}: ${answer}`, async () => {
      const { events, audit } = audited(true)
      const authorizer = { authorize: () => (later ? Promise.resolve(decision) : decision) }
      await using world = await pipelineDouble({ audit, authorizer })
      const request = new RequestDouble(`GET ${WIDGETS}`)
      await beginAudit(world.server, request)
      const run = async () => authorize(world.server, request)
      const seen = await run().then(
        () => 'goes on',
        (error) => (isStatus(error) ? `${error.code} ${error.status.reason}` : String(error)),
      )
      request.audit?.complete(200)
      assert.equal(seen, answer)
      const wanted = { ...(verdict && { 'authorization.k8s.io/decision': verdict }), 'authorization.k8s.io/reason': reason }
      assert.deepEqual(annotationsOf(events), wanted)
    })

for (const later of [false, true])
  test(`a request whose arrival the audit backend refuses${later ? ' later' : ''} is not carried out`, async () => {
    const { audit } = audited(false, later)
    await using world = await pipelineDouble({ audit })
    const request = new RequestDouble(`GET ${WIDGETS}`)
    await assert.rejects(async () => beginAudit(world.server, request), AuditLostError)
    assert.equal(request.audit, undefined)
  })

for (const isMatched of [true, false])
  test(`a deprecated version is warned of and noted ${isMatched ? 'when' : 'only if'} a handler gets the request`, async () => {
    const { events, audit } = audited(true)
    await using world = await pipelineDouble({ audit })
    const [definition] = world.definitions.all()
    const [version] = definition?.versions ?? []
    assert.ok(definition && version)
    const deprecationWarning = 'example.com/v1 Widget is deprecated in v1.30+, unavailable in v1.40+'
    world.definitions.serve({ ...definition, versions: [{ ...version, deprecationWarning }] })
    const request = new RequestDouble(`GET ${WIDGETS}`)
    await beginAudit(world.server, request)
    routeCall(world.server, request)
    if (isMatched) warnOfDeprecation(world.server, request)
    noteDeprecation(request)
    request.audit?.complete(200)
    assert.deepEqual(request.warnings, isMatched ? [deprecationWarning] : [])
    assert.deepEqual(annotationsOf(events), isMatched ? { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.40' } : {})
  })

for (const [line, labels] of [
  [`GET ${WIDGETS}/a`, 'GET resource'],
  [`GET ${WIDGETS}`, 'LIST namespace'],
  ['GET /apis/example.com/v1/widgets', 'LIST cluster'],
  [`GET ${WIDGETS}?watch=true`, 'WATCH namespace'],
  [`POST ${WIDGETS}`, 'POST resource'],
  [`POST ${WIDGETS}?dryRun=All`, 'POST resource All'],
  [`PUT ${WIDGETS}/a/status`, 'PUT resource status'],
] as const)
  test(`${line} is counted as ${labels}`, async () => {
    const metrics = new ServerMetrics(new VirtualClock(0))
    await using world = await pipelineDouble({ metrics })
    const request = new RequestDouble(line)
    routeCall(world.server, request)
    count(world.server, request)
    request.counts?.done(200, 0.1)
    const [family] = metrics.requests.families()
    const text = [...(family?.samples ?? [])].map(([given]) => given).join()
    const [, dryRun = ''] = /dry_run="(\w*)"/.exec(text) ?? []
    const part = (name: string) => new RegExp(`${name}="(\\w*)"`).exec(text)?.[1] ?? ''
    assert.equal([part('verb'), part('scope'), part('subresource'), dryRun].filter(Boolean).join(' '), labels)
  })

test('attributes follow the user that a request impersonates', () => {
  const request = new RequestDouble(`GET ${WIDGETS}?labelSelector=a`)
  assert.equal(request.attributes, request.attributes)
  assert.deepEqual([request.attributes.user.name, request.attributes.labelSelector], ['ann', 'a'])
  request.impersonates({ name: 'bob', groups: [] })
  assert.deepEqual([request.attributes.user.name, request.sender?.name], ['bob', 'ann'])
})

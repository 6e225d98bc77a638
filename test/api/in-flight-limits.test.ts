/** An API server without priority and fairness (`--enable-priority-and-fairness=false`). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.ts'
import { serverPartDouble } from '../../src/cluster/server/server-part.double.ts'
import { initialValues } from '../../src/machinery/flags/flag.ts'
import { FLOW_SCHEMAS } from '../../src/resources/refs.ts'
import { REQUEST_FLAGS, readRequests } from '../../src/server/options/requests.ts'
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts'

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

async function start() {
  const requests = { ...readRequests({ values: initialValues(REQUEST_FLAGS) }), inFlight: { reading: 2, writing: 1 }, fair: false }
  const server = await serverPartDouble(systemClock, openMemoryStore({}, { clock: systemClock }), { requests })
  const { address } = await server.part.server.listen()
  const { ca, client } = server.certificates
  const { certificate: cert, key } = client({ commonName: 'admin', organizations: ['system:masters'] })
  const connect = (more: http2.SecureClientSessionOptions = {}) => http2.connect(address, { ca: ca.certificate, ...more })
  const [admin, anonymous] = [connect({ cert, key }), connect()]
  return {
    admin,
    anonymous,
    client: server.client,
    async [Symbol.asyncDispose]() {
      admin.destroy()
      anonymous.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function ask(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders) {
  const stream = session.request({ 'content-type': 'application/json', ...headers })
  stream.end()
  const [reply] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader]
  return { code: reply[':status'], headers: reply, text: await text(stream) }
}

test('a request beyond its limit is rejected at once, but for system:masters; reads have their own limit', async () => {
  await using on = await start()
  const hanging = on.admin.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/json' })
  hanging.write('{')
  const metrics = async () => (await ask(on.admin, { ':path': '/metrics' })).text
  while (!(await metrics()).includes('apiserver_current_inflight_requests{request_kind="mutating"} 1')) await setImmediate()
  const post = { ':method': 'POST', ':path': PATH }
  const { code, headers } = await ask(on.anonymous, post)
  assert.deepEqual([code, headers['retry-after']], [429, '1'])
  assert.equal((await ask(on.admin, post)).code, 400)
  assert.equal((await ask(on.anonymous, { ':path': '/livez' })).code, 200)
  hanging.end()
  await once(hanging, 'response')
  while ((await ask(on.anonymous, post)).code === 429) await setImmediate()
  assert.equal((await ask(on.anonymous, post)).code, 403)
})

test('requests have no flow schema, and flow schemas no status; the health checks name the filter', async () => {
  await using on = await start()
  const { headers, text: checks } = await ask(on.admin, { ':path': '/readyz?verbose' })
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('x-kubernetes-pf')),
    [],
  )
  assert.deepEqual(
    checks.split('\n').filter((line) => /fairness|in-flight/.test(line)),
    ['[+]poststarthook/max-in-flight-filter ok', '[+]poststarthook/priority-and-fairness-config-producer ok'],
  )
  const { items } = await on.client.list(FLOW_SCHEMAS)
  assert.ok(items.length > 10)
  assert.deepEqual(
    items.filter(({ status }) => status?.conditions !== undefined),
    [],
  )
})

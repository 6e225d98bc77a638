/** Requests in every odd form: what the server does for somebody is in the audit log, with who did it and what it was. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http2 from 'node:http2'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { type AttackedCluster, closedByServer, openAttackedCluster } from './attacked-cluster.ts'

interface AuditEvent {
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly auditID: string
  readonly user: { readonly username?: string }
  readonly impersonatedUser?: { readonly username?: string }
  readonly objectRef?: Readonly<Record<string, string>>
  readonly responseStatus?: { readonly code?: number; readonly message?: string }
}

let attacked: AttackedCluster
let folder: string

before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-audit-'))
  attacked = await openAttackedCluster({ parts: ['server'], auditLog: path.join(folder, 'audit.jsonl') })
})
after(async () => {
  await attacked[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const events = (agent: string): AuditEvent[] =>
  readFileSync(path.join(folder, 'audit.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => event.userAgent === agent)

const MAPS = '/api/v1/namespaces/default/configmaps'
const map = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const withBody = (text: string, type = 'application/json') =>
  `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`

/** Sends the text of an HTTP/1.1 request, with an agent of its own; the status of the answer. */
async function sendText(agent: string, head: string, rest = '\r\n'): Promise<number> {
  const socket = await attacked.connect()
  let answer = ''
  const closed = closedByServer(socket)
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
    // A WebSocket ends when both sides have closed it.
    if (answer.startsWith('HTTP/1.1 101')) socket.end()
  })
  socket.write(`${head} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${agent}\r\nConnection: close\r\n${rest}`)
  await closed
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

type Row = readonly [what: string, head: string, rest: string | undefined, code: number, expected: Partial<AuditEvent>]

const secrets = { resource: 'secrets', namespace: 'default', apiVersion: 'v1' }
const configmaps = (name: string) => ({ resource: 'configmaps', namespace: 'default', name, apiVersion: 'v1' })
const webSocket =
  'Origin: http://x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

const rows: readonly Row[] = [
  ['an escaped path', 'GET /api/v1/namespaces/default/%73ecrets', undefined, 200, { verb: 'list', objectRef: secrets }],
  ['an escaped slash', 'GET /api/v1/namespaces/default%2Fsecrets', undefined, 200, { verb: 'list', objectRef: secrets }],
  ['two slashes', 'GET //api/v1/namespaces/default/secrets', undefined, 0, {}],
  ['dots', 'GET /apis/../api/v1/namespaces/default/secrets', undefined, 0, {}],
  ['a path in capitals', 'GET /API/v1/namespaces/default/secrets', undefined, 404, { verb: 'get' }],
  ['the whole address', 'GET https://elsewhere/api/v1/namespaces/default/secrets', undefined, 0, {}],
  [
    'the old path of a watch',
    'GET /api/v1/watch/namespaces/default/secrets?timeoutSeconds=1',
    undefined,
    200,
    { verb: 'watch', objectRef: secrets },
  ],
  ['HEAD', 'HEAD /api/v1/namespaces/default/secrets', undefined, 405, { verb: 'list' }],
  ['OPTIONS', 'OPTIONS /api/v1/namespaces/default/secrets', undefined, 405, { verb: '' }],
  ['a method of nobody', 'BREW /api/v1/namespaces/default/secrets', undefined, 405, { verb: '' }],
  ['another method in a header', 'GET /api/v1/namespaces/default/secrets', 'X-HTTP-Method-Override: DELETE\r\n\r\n', 200, { verb: 'list' }],
  [
    'a field selector for one name',
    'GET /api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Da',
    undefined,
    200,
    { verb: 'list' },
  ],
  ['a watch in capitals', 'GET /api/v1/namespaces/default/secrets?WATCH=1', undefined, 200, { verb: 'list' }],
  ['watch=0', 'GET /api/v1/namespaces/default/secrets?watch=0', undefined, 200, { verb: 'list' }],
  ['two watches', 'GET /api/v1/namespaces/default/secrets?watch=false&watch=true&timeoutSeconds=1', undefined, 200, { verb: 'list' }],
  [
    'a watch over a WebSocket without an origin',
    'GET /api/v1/namespaces/default/secrets?watch=1',
    webSocket.replace(/^Origin.*\r\n/, ''),
    403,
    { verb: 'watch', objectRef: secrets },
  ],
  [
    'a watch over a WebSocket',
    'GET /api/v1/namespaces/default/secrets?watch=1&timeoutSeconds=1',
    webSocket,
    101,
    { verb: 'watch', objectRef: secrets },
  ],
  ['a create', `POST ${MAPS}`, withBody(map('made')), 201, { verb: 'create', objectRef: configmaps('made') }],
  [
    'a create with a body in pieces',
    `POST ${MAPS}`,
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${map('pieces').length.toString(16)}\r\n${map('pieces')}\r\n0\r\n\r\n`,
    201,
    { verb: 'create', objectRef: configmaps('pieces') },
  ],
  [
    'an apply that creates',
    `PATCH ${MAPS}/applied?fieldManager=x`,
    withBody('kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: applied\n', 'application/apply-patch+yaml'),
    201,
    { verb: 'patch', objectRef: configmaps('applied') },
  ],
  ['a delete of all', `DELETE ${MAPS}?labelSelector=none`, undefined, 200, { verb: 'deletecollection' }],
  ['a body that is none', `POST ${MAPS}`, withBody('{'), 400, { verb: 'create' }],
  ['a type of nobody', `POST ${MAPS}`, withBody('x', 'text/x'), 415, { verb: 'create' }],
  ['a format that nobody has', `GET ${MAPS}`, 'Accept: image/png\r\n\r\n', 406, { verb: 'list' }],
  ['a path of nothing', 'GET /nothing', undefined, 404, { verb: 'get' }],
  ['a page of the server', 'GET /metrics', undefined, 200, { verb: 'get' }],
  ['an id of its own', `GET ${MAPS}`, 'Audit-ID: mine\r\n\r\n', 200, { verb: 'list', auditID: 'mine' }],
  ['two ids', `GET ${MAPS}`, 'Audit-ID: one\r\nAudit-ID: two\r\n\r\n', 200, { verb: 'list' }],
  ['as somebody else', `GET ${MAPS}`, 'Impersonate-User: ann\r\n\r\n', 403, { verb: 'list', impersonatedUser: { username: 'ann' } }],
  [
    'with names that only a front proxy gives',
    `GET ${MAPS}`,
    'X-Remote-User: ann\r\nX-Remote-Group: system:masters\r\n\r\n',
    200,
    { verb: 'list' },
  ],
  ['a time of nothing', `GET ${MAPS}?timeout=1ns`, undefined, 0, {}],
]

for (const [i, [what, head, rest, code, expected]] of rows.entries())
  test(`in the log: ${what}`, async () => {
    const agent = `agent-${i}`
    const answered = await sendText(agent, head, rest)
    if (code !== 0) assert.equal(answered, code)
    const found = await waitFor(() => events(agent).find((e) => e.stage === 'ResponseComplete'), { timeoutMs: 5000, what: 'the event' })
    if (code !== 0) assert.equal(found.responseStatus?.code, code)
    assert.equal(found.user.username, 'admin')
    if (found.objectRef?.resource === 'secrets') assert.match(found.verb, /^(list|watch|)$/)
    for (const [field, value] of Object.entries(expected)) {
      const seen: unknown = Reflect.get(found, field)
      if (typeof value === 'object') assert.deepEqual({ ...(seen as object), ...value }, seen)
      else assert.equal(seen, value)
    }
    assert.deepEqual(attacked.errors, [])
  })

test('creates whose client goes away at once are in the log, each with its name', async () => {
  const session = http2.connect(attacked.address.origin, { ...attacked.access })
  session.on('error', () => {})
  for (let i = 0; i < 300; i++) {
    const headers = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json', 'user-agent': 'leaver' }
    const stream = session.request(headers)
    stream.on('error', () => {})
    stream.end(map(`left-${i}`), () => setTimeout(() => stream.close(8), i % 5))
    if (i % 50 === 0) await systemClock.sleep(20)
  }
  await systemClock.sleep(100)
  session.destroy()
  const { items } = await attacked.cluster.client().list({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' })
  const made = items.flatMap(({ metadata: { name = '' } }) => (name.startsWith('left-') ? [name] : []))
  assert.ok(made.length > 0)
  await waitFor(() => made.every((name) => events('leaver').some((e) => e.objectRef?.name === name && e.stage === 'ResponseComplete')), {
    timeoutMs: 5000,
    what: 'an event for each',
  })
})

/** Sends a request without a client certificate; the status of the answer. */
async function sendUnproven(headers: Readonly<Record<string, string>>): Promise<number> {
  const session = http2.connect(attacked.address.origin, { ca: attacked.access.ca })
  const stream = session.request({ ':path': MAPS, ...headers })
  try {
    const [answer] = await once(stream, 'response')
    return Number(answer[':status'])
  } finally {
    session.destroy()
  }
}

test('who is nobody is in the log as nobody', async () => {
  assert.equal(await sendUnproven({ 'user-agent': 'nobody', 'x-remote-user': 'admin' }), 403)
  assert.equal(await sendUnproven({ 'user-agent': 'liar', authorization: 'Bearer x' }), 401)
  const [nobody] = await waitFor(() => events('nobody').filter((e) => e.stage === 'ResponseComplete'))
  const [liar] = await waitFor(() => events('liar'))
  assert.deepEqual([nobody?.user.username, nobody?.responseStatus?.code], ['system:anonymous', 403])
  assert.deepEqual([liar?.user.username, liar?.responseStatus?.code], [undefined, 401])
})

test('a user agent is read as UTF-8', async () => {
  await sendText('Zoë', `GET ${MAPS}`)
  assert.notEqual(await waitFor(() => events('Zoë').at(-1)), undefined)
})

for (const [why, headers, message] of [
  ['a wrong token', { authorization: 'Bearer x' }, 'Authentication failed, attempted: bearer'],
  ['a bad time limit', { ':path': `${MAPS}?timeout=x` }, 'invalid timeout specified in the request URL - time: invalid duration "x"'],
] as const)
  test(`a request refused for ${why}, in a format that nobody has: the event says why`, async () => {
    await sendUnproven({ ...headers, 'user-agent': why, accept: 'image/png' })
    const [event] = await waitFor(() => events(why))
    assert.equal(event?.responseStatus?.message, message)
  })

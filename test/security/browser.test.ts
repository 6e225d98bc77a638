/**
 * Requests that a page in a browser may send without being asked (forms, plain text, reads of other origins), with the certificate that the
 * browser has: they change nothing, and the page may not read the answers.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AttackedCluster, closedByServer, openAttackedCluster } from './attacked-cluster.ts'

let attacked: AttackedCluster
before(async () => {
  attacked = await openAttackedCluster({ parts: ['server'] })
})
after(() => attacked[Symbol.asyncDispose]())

const MAPS = '/api/v1/namespaces/default/configmaps'
const map = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'forged' } })

/** The whole answer to a request of a page at another origin. */
async function fromPage(head: string, headers: Readonly<Record<string, string>>, body = ''): Promise<string> {
  const socket = await attacked.connect()
  let answer = ''
  socket.on('data', (part) => {
    answer += String(part)
  })
  const closed = closedByServer(socket)
  const all = { Host: attacked.address.host, Origin: 'https://evil.example', Connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${head} HTTP/1.1\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`)
  await closed
  return answer
}

const rows: readonly (readonly [what: string, head: string, headers: Readonly<Record<string, string>>, body: string, code: number])[] = [
  ['a form as plain text', `POST ${MAPS}`, { 'Content-Type': 'text/plain' }, map, 415],
  ['a form', `POST ${MAPS}`, { 'Content-Type': 'application/x-www-form-urlencoded' }, map, 415],
  ['a form with files', `POST ${MAPS}`, { 'Content-Type': 'multipart/form-data; boundary=x' }, map, 415],
  ['plain text that names JSON beside', `POST ${MAPS}`, { 'Content-Type': 'text/plain; application/json' }, map, 415],
  ['a form that would be a DELETE', `POST ${MAPS}?_method=DELETE`, { 'Content-Type': 'text/plain' }, map, 415],
  ['a question before JSON is sent', `OPTIONS ${MAPS}`, { 'Access-Control-Request-Method': 'POST' }, '', 405],
  ['a read', `GET ${MAPS}`, {}, '', 200],
]
for (const [what, head, headers, body, code] of rows)
  test(`a page of another origin sends ${what}: ${code}, and is not allowed to read it`, async () => {
    const answer = await fromPage(head, headers, body)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${code} `))
    assert.doesNotMatch(answer, /access-control-allow/i)
    const { items } = await attacked.cluster.client().list({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' })
    assert.ok(items.every((item) => item.metadata.name !== 'forged'))
    assert.deepEqual(attacked.errors, [])
  })

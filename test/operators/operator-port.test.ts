/** `searchOperator` with programs that listen on a port: one that belongs to another program, and one that each run wants. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { database, databases } from './operator-search/stand-in.ts'

test('a port that is taken is named', async (t) => {
  const other = net.createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const program = `require('node:net').createServer().listen(${port}, '127.0.0.1')`
  const { findings } = await searchOperator({
    operator: { command: [process.execPath, '-e', program] },
    install: [databases({})],
    samples: [database({})],
    steps: [{ name: 'create', apply: [database({})] }],
    patienceMs: 0,
  })
  assert.match(findings[0]?.symptoms[0]?.text ?? '', /a port that it wants belongs to another program of this machine: .*EADDRINUSE/)
})

/** Makes four config maps for each database, and listens before it does: after it has waited for the first one. */
const opensLate = (port: number) => `
const { readFileSync } = require('node:fs')
const { request } = require('node:https')
const { cluster } = JSON.parse(readFileSync(process.env.KUBECONFIG)).clusters[0]
const ca = Buffer.from(cluster['certificate-authority-data'], 'base64')
const call = (method, path, body, onData = () => {}) => new Promise((resolve, reject) => {
  request(cluster.server + path, { ca, method, headers: { 'content-type': 'application/json' } }, async (response) => {
    for await (const part of response) onData()
    resolve()
  }).on('error', reject).end(body && JSON.stringify(body))
})
let work
async function serve() {
  await new Promise((resolve) => require('node:net').createServer().listen(${port}, '127.0.0.1', resolve))
  for (const name of ['a', 'b', 'c', 'd']) await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } })
}
call('GET', '/apis/example.com/v1/databases?watch=true', undefined, () => (work ??= serve()))
`

test('runs that want the same port come one after the other, also if they want it late', async () => {
  const free = net.createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  await once(free, 'close')
  const steps = [{ name: 'create', apply: [database({})] }]
  const { findings, points } = await searchOperator({
    operator: { command: [process.execPath, '-e', opensLate(port)] },
    install: [databases({})],
    samples: [database({})],
    steps,
    replay: [{ steps, fault: { kind: 'crash', what: '' } }],
    patienceMs: 0,
  })
  assert.deepEqual(findings, [])
  assert.ok(points.tried >= 5)
})

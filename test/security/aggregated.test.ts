/** Servers behind APIServices whose answers to the server's own clients (garbage collector, quota, autoscaler) do not end. */
import assert from 'node:assert/strict'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import { API_SERVICES } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const GROUP = 'evil.example.com'
const THINGS = { group: GROUP, version: 'v1', resource: 'things', namespace: 'default' }
const DISCOVERY = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: ['get', 'list', 'watch'] }],
}

/** Writes the text again and again, `times` times, as fast as it is read. */
function pour(response: ServerResponse, text: string, times: number): void {
  let left = times
  const more = () => {
    while (left-- > 0 && !response.destroyed) if (!response.write(text)) return
    if (left < 0) response.end(']}')
  }
  response.on('drain', more)
  more()
}

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  spaces: (response) => pour(response, ' '.repeat(65_536), Number.POSITIVE_INFINITY),
  values: (response) => {
    response.write('{"items":[[]')
    pour(response, ',[]'.repeat(20_000), 600)
  },
  watch: (response) => {
    response.write('{"type":"ADDED","object":{"a":"')
    pour(response, 'x'.repeat(65_536), Number.POSITIVE_INFINITY)
  },
}

test('answers without an end, of too many values, and events without an end are errors of that server alone', async () => {
  let mode = ''
  const server = http.createServer((request: IncomingMessage, response: ServerResponse) => {
    const play = request.url?.startsWith(`/apis/${GROUP}/v1/`) ? answers[mode] : undefined
    if (play === undefined) return void response.setHeader('content-type', 'application/json').end(JSON.stringify(DISCOVERY))
    response.setHeader('content-type', 'application/json')
    play(response)
  })
  const connect = () => {
    const [near, far] = duplexPair()
    server.emit('connection', far)
    return near
  }
  await using cluster = await startCluster({ parts: ['server'] }, { services: new Map([['default/evil', connect]]) })
  const client = cluster.client()
  await client.create(API_SERVICES, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${GROUP}` },
    spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, service: { namespace: 'default', name: 'evil' } },
  })
  await waitFor(async () => (await client.get({ ...API_SERVICES, name: `v1.${GROUP}` })).status?.conditions?.[0]?.status === 'True')
  const refusedWith = (words: RegExp) => (error: unknown) => isStatus(error, 'InternalError') && words.test((error as Error).message)
  mode = 'spaces'
  await assert.rejects(client.list(THINGS), refusedWith(/answered more than 67108864 bytes/))
  mode = 'values'
  await assert.rejects(client.list(THINGS), refusedWith(/more than 4000000 values/))
  mode = 'watch'
  const watched = async () => {
    for await (const _ of client.watch(THINGS, { resourceVersion: '1' }));
  }
  await assert.rejects(watched(), refusedWith(/an event of a watch is longer than 33554432 bytes/))
  assert.ok((await client.list({ group: '', version: 'v1', resource: 'namespaces' })).items.length > 0)
})

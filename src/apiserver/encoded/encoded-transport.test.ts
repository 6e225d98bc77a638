import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiCall } from '../../machinery/api-call.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { inProcess } from '../in-process/in-process-transport.ts'
import { pipelineDouble } from '../pipeline/pipeline.double.ts'
import { widget } from '../store/store.double.ts'
import { encodedTransport } from './encoded-transport.ts'

const target = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'ns' }
const ann = { name: 'ann', groups: [] }
const call = (verb: ApiCall['verb'], more: Partial<ApiCall> = {}): ApiCall => ({ verb, target, query: {}, ...more })

async function transports() {
  const world = await pipelineDouble()
  const server = () => world.server
  return {
    encoded: encodedTransport(server, ann),
    plain: inProcess(server, ann),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const lines = async (source: AsyncIterable<string | Uint8Array>): Promise<unknown[]> => {
  let text = ''
  for await (const message of source) text += Buffer.from(message).toString()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

test('an answer is the JSON of what a client in the same thread gets', async () => {
  await using world = await transports()
  const made = await world.encoded.call(call('create', { body: widget({ size: 1 }) }))
  const object = await world.plain.call(call('get', { target: { ...target, name: 'a' } }))
  assert.deepEqual(JSON.parse(String(made)), object)
  assert.deepEqual(JSON.parse(String(await world.encoded.call(call('get', { target: { ...target, name: 'a' } })))), object)
})

test('a list is a line without items, and a line for each item', async () => {
  await using world = await transports()
  await world.plain.call(call('create', { body: widget({ size: 1 }) }))
  const { items, ...head } = (await world.plain.call(call('list'))) as unknown as { readonly items: readonly object[] }
  assert.deepEqual(await lines(world.encoded.list(call('list'))), [head, ...items])
})

test('a watch is a line for each event, and ends with its signal', async () => {
  await using world = await transports()
  const stop = new AbortController()
  const watching = world.encoded.watch(call('watch', { query: { watch: 'true' }, signal: stop.signal }))[Symbol.asyncIterator]()
  const first = watching.next()
  const made = await world.plain.call(call('create', { body: widget({ size: 1 }) }))
  assert.deepEqual(JSON.parse(String((await first).value)), { type: 'ADDED', object: made })
  stop.abort()
  assert.equal((await watching.next()).done, true)
})

test('what fails rejects with its status', async () => {
  await using world = await transports()
  const missing = call('get', { target: { ...target, name: 'missing' } })
  await assert.rejects(world.encoded.call(missing), (error) => isStatus(error, 'NotFound'))
  const foreign = call('list', { target: { ...target, resource: 'gizmos' } })
  await assert.rejects(lines(world.encoded.list(foreign)), (error) => isStatus(error, 'NotFound'))
})

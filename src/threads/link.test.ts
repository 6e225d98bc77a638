import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveTurn } from '../base/turns.ts'
import { isStatus, notFound } from '../machinery/status-error.ts'
import { type Exchange, WINDOW_BYTES } from './exchange.ts'
import { linkPair } from './link.double.ts'

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await giveTurn()
}

test('a question is answered', async () => {
  using pair = linkPair({ far: { add: ({ a, b }, exchange) => exchange.end(JSON.stringify({ sum: Number(a) + Number(b) })) } })
  assert.deepEqual(await pair.near.ask('add', { a: 1, b: 2 }), { sum: 3 })
  assert.equal(pair.near.size + pair.far.size, 0)
})

test('integers that a double cannot hold and texts beyond ASCII cross unchanged', async () => {
  using pair = linkPair({ far: { echo: (requested, exchange) => exchange.end(`{"n":9007199254740993,"text":"${requested.text}"}`) } })
  assert.deepEqual(await pair.near.ask('echo', { text: 'größe 漢字 🚀' }), { n: 9007199254740993n, text: 'größe 漢字 🚀' })
})

test('both sides offer services, and their numbers do not meet', async () => {
  const services = { who: (requested: { readonly name?: unknown }, exchange: Exchange) => exchange.end(JSON.stringify(requested)) }
  using pair = linkPair({ near: services, far: services })
  const answers = await Promise.all([pair.near.ask('who', { name: 'near' }), pair.far.ask('who', { name: 'far' })])
  assert.deepEqual(answers, [{ name: 'near' }, { name: 'far' }])
})

test('an error crosses as a StatusError', async () => {
  using pair = linkPair({ far: { find: () => Promise.reject(notFound({ group: '', resource: 'pods' }, 'web')) } })
  await assert.rejects(pair.near.ask('find', {}), (error) => isStatus(error, 'NotFound') && error.message === 'pods "web" not found')
})

test('a service that is not offered is an error', async () => {
  using pair = linkPair()
  await assert.rejects(pair.near.ask('nothing', {}), (error) => isStatus(error, 'NotFound'))
})

test('messages come in order, and a sender waits while its reader is behind', async () => {
  const message = Buffer.alloc(WINDOW_BYTES / 4)
  let sent = 0
  const flood = async (_asked: object, exchange: Exchange) => {
    for (; sent < 12; sent++) {
      message[0] = sent
      await exchange.send(message)
    }
    exchange.end()
  }
  using pair = linkPair({ far: { flood } })
  const exchange = pair.near.open('flood', {}, { ended: true })
  await turns(20)
  assert.equal(sent, 4, 'a window and one message are on their way')
  const seen: number[] = []
  for await (const bytes of exchange) seen.push(bytes[0] ?? -1)
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('aborting a request notifies the other side', async () => {
  const opened = Promise.withResolvers<Exchange>()
  using pair = linkPair({ far: { wait: (_asked, exchange) => opened.resolve(exchange) } })
  const stop = new AbortController()
  const requested = pair.near.ask('wait', {}, stop.signal)
  const { signal } = await opened.promise
  stop.abort(new Error('not wanted'))
  await assert.rejects(requested, /not wanted/)
  await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
  assert.equal(pair.far.size, 0)
})

test('when the other side is gone, what is open fails, and so does what is opened later', async () => {
  using pair = linkPair({ far: { wait() {} } })
  const requested = pair.near.ask('wait', {})
  pair.near.close(new Error('thread control has ended'))
  await assert.rejects(requested, /thread control has ended/)
  await assert.rejects(pair.near.ask('wait', {}), /thread control has ended/)
})

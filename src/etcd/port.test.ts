import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemRandom } from '../base/random.ts'
import { dialStore } from '../storage/remote/dial.ts'
import { openStoreKey, proofOf } from '../storage/remote/store-key.ts'
import { StoreError } from '../storage/store.ts'
import { plainPage } from './pages.ts'
import { openPort, type PortDeps } from './port.ts'

const KEY = { file: '/data/store.key', key: 'k'.repeat(64) }
const GET = 'GET /bowsprit/store HTTP/1.1\r\nHost: x\r\n'
const UPGRADE = `${GET}Connection: Upgrade\r\nUpgrade: bowsprit-store.v1\r\n`

const DEPS: PortDeps = {
  store: () => {},
  grpc: (socket) => void socket.destroy(),
  page: ({ url = '/' }) => plainPage(url),
  key: KEY,
  random: systemRandom(),
}

/** A port, and what it answers to texts that are sent over one connection, one after the other. */
async function open(deps: Partial<PortDeps> = {}) {
  let upgraded = 0
  const port = await openPort({ host: '127.0.0.1', port: 0 }, { ...DEPS, store: () => void upgraded++, ...deps })
  const socket = connect(port.address.port, '127.0.0.1')
  return {
    upgraded: () => upgraded,
    async ask(text: string): Promise<string> {
      socket.write(text)
      const [piece] = await once(socket, 'data')
      return String(piece)
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await port[Symbol.asyncDispose]()
    },
  }
}

const status = (head: string) => head.split(' ')[1]
const nonceOf = (head: string) => /nonce="([^"]+)"/.exec(head)?.[1] ?? ''

const targets: readonly (readonly [target: string, status: string])[] = [
  ['/health', '200'],
  ['/health?%', '200'],
  ['//', '404'],
  ['//[', '404'],
  ['http://[', '404'],
  ['*', '404'],
  ['/%', '404'],
  ['/constructor', '404'],
  ['/__proto__', '404'],
]
for (const [target, wanted] of targets)
  test(`GET ${target} is answered ${wanted}`, async () => {
    await using at = await open()
    assert.equal(status(await at.ask(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)), wanted)
  })

test('a page that fails is a 500, not the end of the process', async () => {
  await using at = await open({
    page: () => {
      throw new TypeError('odd')
    },
  })
  assert.equal(status(await at.ask('GET / HTTP/1.1\r\nHost: x\r\n\r\n')), '500')
})

test('the store is served to who proves the key of the challenge', async () => {
  await using at = await open()
  const challenge = await at.ask(`${GET}\r\n`)
  assert.equal(status(challenge), '401')
  assert.equal(challenge.includes(KEY.key), false)
  const proof = proofOf(KEY.key, nonceOf(challenge))
  assert.equal(status(await at.ask(`${UPGRADE}Authorization: Bowsprit-Key ${proof}\r\n\r\n`)), '101')
  assert.equal(at.upgraded(), 1)
})

const forgeries: readonly (readonly [rule: string, authorization: (nonce: string) => string])[] = [
  ['no proof', () => ''],
  ['an empty proof', () => 'Authorization: Bowsprit-Key\r\n'],
  ['the proof of another key', (nonce) => `Authorization: Bowsprit-Key ${proofOf('x'.repeat(64), nonce)}\r\n`],
  ['the proof of another nonce', () => `Authorization: Bowsprit-Key ${proofOf(KEY.key, 'other')}\r\n`],
  ['another scheme', (nonce) => `Authorization: Bearer ${proofOf(KEY.key, nonce)}\r\n`],
]
for (const [rule, authorization] of forgeries)
  test(`${rule} gets no store`, async () => {
    await using at = await open()
    const nonce = nonceOf(await at.ask(`${GET}\r\n`))
    assert.equal(status(await at.ask(`${UPGRADE}${authorization(nonce)}\r\n`)), '401')
    assert.equal(at.upgraded(), 0)
  })

test('an upgrade without a challenge before it gets no store, not even with the proof of an empty nonce', async () => {
  await using at = await open()
  assert.equal(status(await at.ask(`${UPGRADE}Authorization: Bowsprit-Key ${proofOf(KEY.key, '')}\r\n\r\n`)), '401')
})

test('the client of the store proves its key and gets the bytes that follow', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-port-'))
  const key = openStoreKey(folder, systemRandom())
  await using port = await openPort({ host: '127.0.0.1', port: 0 }, { ...DEPS, key, store: (peer) => void peer.write('welcome') })
  const socket = await dialStore({ url: new URL(`http://127.0.0.1:${port.address.port}`) })
  socket.resume()
  const [piece] = await once(socket, 'data')
  assert.equal(String(piece), 'welcome')
  socket.destroy()
  rmSync(folder, { recursive: true, force: true })
})

test('a client that cannot read the key gets an error', async () => {
  await using port = await openPort({ host: '127.0.0.1', port: 0 }, DEPS)
  const dialled = dialStore({ url: new URL(`http://127.0.0.1:${port.address.port}`) })
  await assert.rejects(
    dialled,
    (error) => error instanceof StoreError && error.code === 'permission' && /cannot be read/.test(error.message),
  )
})

test('a cluster without a store is reported', async () => {
  const server = createServer((_, response) => void response.writeHead(200).end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  const dialled = dialStore({ url: new URL(`http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`) })
  await assert.rejects(
    dialled,
    (error) => error instanceof StoreError && error.code === 'unavailable' && /keeps no store/.test(error.message),
  )
  server.closeAllConnections()
  server.close()
})

test('a client certificate replaces the key', async () => {
  await using at = await open({ key: undefined })
  assert.equal(status(await at.ask(`${GET}\r\n`)), '204')
  assert.equal(status(await at.ask(`${UPGRADE}\r\n`)), '101')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import { listenerDouble, makeAuthority, makeLeaf } from './listener.double.ts'
import { createPeers } from './peers.ts'

const HOUR = 3_600_000
const now = systemClock.now()
const ca = makeAuthority('ca')
const proxyCa = makeAuthority('proxy-ca')
const middle = makeAuthority('middle', ca)
const chained = makeLeaf(middle, 'chained')

const cases = [
  ['nobody', undefined, 'none'],
  ['a client', makeLeaf(ca, 'ann'), 'client ann'],
  ['a front proxy', makeLeaf(proxyCa, 'front'), 'front-proxy front'],
  ['one behind an authority in between', { ...chained, certificate: chained.certificate + middle.certificate }, 'client chained'],
  ['one of a stranger', makeLeaf(makeAuthority('ca'), 'ann'), 'wrong'],
  ['one that signed itself', makeAuthority('ca'), 'wrong'],
  ['one for servers', makeLeaf(ca, 'ann', { usages: ['server'] }), 'wrong'],
  ['one for any use', makeLeaf(ca, 'ann', { usages: ['any'] }), 'client ann'],
  ['one for uses of which none is named', makeLeaf(ca, 'ann', { usages: [] }), 'client ann'],
  ['a stranger’s for any use', makeLeaf(makeAuthority('ca'), 'ann', { usages: ['any'] }), 'wrong'],
  ['one for any use that has ended', makeLeaf(ca, 'ann', { usages: ['any'], notBefore: now - 2 * HOUR, notAfter: now - HOUR }), 'wrong'],
  ['one that has ended', makeLeaf(ca, 'ann', { notBefore: now - 2 * HOUR, notAfter: now - HOUR }), 'wrong'],
  ['one that has not begun', makeLeaf(ca, 'ann', { notBefore: now + HOUR, notAfter: now + 2 * HOUR }), 'wrong'],
  ['one with a user id', makeLeaf(ca, 'ann', { subject: { commonName: 'ann', organizations: ['o'], uid: '7' } }), 'client ann'],
  ['one with an empty user id', makeLeaf(ca, 'ann', { subject: { commonName: 'ann', organizations: [], uid: '' } }), 'wrong'],
] as const

test('what a client certificate proves, and by whom', async () => {
  const trusted = { clientCa: ca.certificate, frontProxyCa: proxyCa.certificate }
  const peers = createPeers(trusted)
  await using double = await listenerDouble(async (exchange) => {
    const peer = peers.of(exchange.socket, systemClock.now())
    exchange.answer(200, {}, peer.kind === 'proven' ? `${peer.certificate.authority} ${peer.certificate.commonName}` : peer.kind)
  }, trusted)
  for (const [name, tls, expected] of cases) {
    const options = tls === undefined ? {} : { tls }
    assert.equal((await double.ask1(options)).body, expected, `${name}, HTTP/1.1`)
    assert.equal((await double.ask2(options)).body, expected, `${name}, HTTP/2`)
  }
})

test('clients and front proxies may have one authority: the name in the certificate tells them apart', async () => {
  const trusted = { clientCa: ca.certificate, frontProxyCa: ca.certificate }
  const peers = createPeers(trusted)
  await using double = await listenerDouble(async (exchange) => {
    const peer = peers.of(exchange.socket, systemClock.now())
    exchange.answer(200, {}, peer.kind === 'proven' ? String(peer.certificate.authority) : peer.kind)
  }, trusted)
  assert.equal((await double.ask2({ tls: makeLeaf(ca, 'ann') })).body, 'both')
})

test('a certificate that ends proves nothing from then on, on the same connection', async () => {
  const peers = createPeers({ clientCa: ca.certificate })
  const leaf = makeLeaf(ca, 'ann', { notAfter: now + HOUR })
  const said: string[] = []
  await using double = await listenerDouble(
    async (exchange) => {
      for (const later of [0, HOUR / 2, 2 * HOUR, 0]) said.push(peers.of(exchange.socket, now + later).kind)
      exchange.answer(200, {}, '')
    },
    { clientCa: ca.certificate },
  )
  await double.ask2({ tls: leaf })
  assert.deepEqual(said, ['proven', 'proven', 'wrong', 'proven'])
})

test('an authority in between is enough to be trusted', async () => {
  const peers = createPeers({ clientCa: middle.certificate })
  await using double = await listenerDouble(
    async (exchange) => exchange.answer(200, {}, peers.of(exchange.socket, systemClock.now()).kind),
    { clientCa: middle.certificate },
  )
  assert.equal((await double.ask1({ tls: chained })).body, 'proven')
  assert.equal((await double.ask1({ tls: makeLeaf(ca, 'ann') })).body, 'wrong')
})

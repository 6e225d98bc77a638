import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { giveUncountedTurn } from '../../../base/turns.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { HandshakeGate } from './handshake-gate.ts'

/** A port whose connections go through a gate. */
async function gatedPort(t: TestContext) {
  const clock = new VirtualClock()
  const begun: { readonly turn: number; readonly sent: string }[] = []
  let [turn, failed, turning] = [0, 0, true]
  const countTurns = async () => {
    for (; turning; turn++) await giveUncountedTurn()
  }
  void countTurns()
  const gate = new HandshakeGate({
    clock,
    failed: () => void failed++,
    begin: (connection) => void begun.push({ turn, sent: String(connection.read()) }),
  })
  const accepted: Socket[] = []
  const server = net.createServer((socket) => {
    accepted.push(socket)
    gate.admit(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const clients: Socket[] = []
  t.after(() => {
    turning = false
    for (const socket of [...clients, ...accepted]) socket.destroy()
    server.close()
  })
  const dial = () => {
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    clients.push(client)
    return client
  }
  return { clock, gate, begun, accepted, dial, failures: () => failed }
}

test('of many connections that speak at once 32 begin in a turn, each with what it has sent', async (t) => {
  const { begun, accepted, dial } = await gatedPort(t)
  const clients = Array.from({ length: 200 }, dial)
  await waitFor(() => accepted.length === 200, { everyMs: 1 })
  assert.equal(begun.length, 0)
  for (const client of clients) client.write('hello')
  await waitFor(() => begun.length === 200, { everyMs: 1 })
  assert.ok(begun.every(({ sent }) => sent === 'hello'))
  const perTurn = Object.values(Object.groupBy(begun, ({ turn }) => turn)).map((of) => of?.length ?? 0)
  assert.ok(Math.max(...perTurn) <= 32, perTurn.join())
})

test('a connection that sends nothing is closed after ten seconds, and one that goes away is forgotten: both have failed', async (t) => {
  const { begun, accepted, clock, dial, failures } = await gatedPort(t)
  dial()
  await waitFor(() => accepted.length === 1, { everyMs: 1 })
  await clock.advance(9999)
  assert.equal(failures(), 0)
  await clock.advance(1)
  await waitFor(() => failures() === 1, { everyMs: 1 })
  const client = dial()
  await waitFor(() => accepted.length === 2, { everyMs: 1 })
  client.resetAndDestroy()
  await waitFor(() => failures() === 2, { everyMs: 1 })
  assert.equal(begun.length, 0)
})

test('a stream of this process begins at once', async (t) => {
  const { gate, begun } = await gatedPort(t)
  gate.admit(duplexPair()[0])
  assert.equal(begun.length, 1)
})

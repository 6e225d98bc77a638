import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnGate } from './turn-gate.ts'
import { giveTurn, nextTurn } from './turns.ts'

test('so many pass in a turn, the others in order in the next ones', async () => {
  const gate = new TurnGate(3)
  const log: string[] = []
  let turn = 0
  const count = (): void => {
    turn++
    if (turn < 10) nextTurn(count)
  }
  nextTurn(count)
  const enter = async (name: string) => {
    await gate.pass()
    log.push(`${turn}${name}`)
  }
  await Promise.all('abcdefgh'.split('').map(enter))
  assert.deepEqual(
    log.map((entry) => entry.slice(1)),
    [...'abcdefgh'],
  )
  const perTurn = new Map<string, number>()
  for (const entry of log) perTurn.set(entry[0] ?? '', (perTurn.get(entry[0] ?? '') ?? 0) + 1)
  assert.ok([...perTurn.values()].every((n) => n <= 3) && perTurn.size >= 3, log.join(' '))
})

test('who comes alone does not wait', async () => {
  const gate = new TurnGate(1)
  assert.equal(gate.pass(), undefined)
  assert.ok(gate.pass() instanceof Promise)
  await giveTurn()
  await giveTurn()
  await giveTurn()
  assert.equal(gate.pass(), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { Engine } from './engine.ts'
import type { Journal, JournalListener, JournalRecord } from './journal.ts'
import { Keyspace } from './keyspace.ts'
import { type Commit, StoreError } from './store.ts'

/** A disk that does what the test says. */
class ScriptedJournal implements Journal {
  readonly listener: JournalListener
  readonly appended: JournalRecord[] = []

  constructor(listener: JournalListener) {
    this.listener = listener
  }

  append(record: JournalRecord): void {
    this.appended.push(record)
  }

  forget(): void {}

  async close(): Promise<void> {}
}

function openEngine() {
  const keyspace = new Keyspace()
  let journal: ScriptedJournal | undefined
  const clock = new VirtualClock()
  const openJournal = (listener: JournalListener) => {
    journal = new ScriptedJournal(listener)
    return journal
  }
  const engine = new Engine({}, { clock, keyspace, openJournal })
  assert.ok(journal)
  const commit = (key: string, text: string, revision?: number) => {
    const expect = revision === undefined ? ({ absent: true } as const) : { revision }
    return outcome(engine.commit({ key, expect, value: Buffer.from(text) }))
  }
  return { engine, clock, journal, commit }
}

const outcome = (commit: Promise<Commit>) =>
  commit.then(
    (result) => (result.kind === 'stored' ? `stored ${result.revision}` : `conflict ${result.current?.revision}`),
    (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
  )
const untilIdle = () => new Promise<void>((resolve) => setImmediate(resolve))
const state = async (promise: Promise<string>) => Promise.race([promise, untilIdle().then(() => 'under way')])
const full = new StoreError('full', 'no room')

test('a commit is answered when it is durable, and not before', async () => {
  const { engine, journal, commit } = openEngine()
  const [a, b] = [commit('a', '1'), commit('b', '1')]
  assert.deepEqual([await state(a), engine.revision], ['under way', 1])
  journal.listener.durable(2)
  assert.deepEqual([await state(a), await state(b), engine.revision], ['stored 2', 'under way', 2])
  journal.listener.durable(3)
  assert.equal(await state(b), 'stored 3')
})

test('a conflict with a pending write is reported when that is durable', async () => {
  const { journal, commit } = openEngine()
  const [first, second] = [commit('a', '1'), commit('a', '2')]
  assert.equal(await state(second), 'under way')
  journal.listener.durable(2)
  assert.deepEqual([await first, await second], ['stored 2', 'conflict 2'])
})

test('when a commit fails, so does what builds on it; what was in conflict with it is decided anew', async () => {
  const { engine, journal, commit } = openEngine()
  const built = [commit('a', '1'), commit('a', '2', 2), commit('b', '1')]
  const against = commit('a', 'other')
  journal.listener.failed(full, false)
  assert.deepEqual(await Promise.all(built), ['full', 'full', 'full'])
  assert.equal(await state(against), 'under way')
  assert.equal(journal.appended.at(-1)?.revision, 2, 'revisions have no gaps')
  journal.listener.durable(2)
  assert.equal(await against, 'stored 2')
  assert.equal(String((await engine.get('a'))?.value), 'other')
})

test('what was durable before a failure stays', async () => {
  const { engine, journal, commit } = openEngine()
  const [a, b] = [commit('a', '1'), commit('a', '2', 2)]
  journal.listener.durable(2)
  journal.listener.failed(full, false)
  assert.deepEqual([await a, await b], ['stored 2', 'full'])
  const again = commit('a', '3', 2)
  journal.listener.durable(3)
  assert.deepEqual([await again, engine.revision], ['stored 3', 3])
})

test('a broken disk fails everything from then on, and reading goes on', async () => {
  const { engine, journal, commit } = openEngine()
  const a = commit('a', '1')
  journal.listener.durable(2)
  await a
  journal.listener.failed(new StoreError('io', 'smoke'), true)
  assert.equal(await commit('b', '1'), 'io')
  assert.equal((await engine.get('a'))?.revision, 2)
  await engine[Symbol.asyncDispose]()
})

test('a deletion of an ended lease that fails is tried again', async () => {
  const { engine, clock, journal } = openEngine()
  const put = outcome(engine.commit({ key: 'a', expect: { absent: true }, value: Buffer.from('v'), ttlMs: 100 }))
  journal.listener.durable(2)
  await put
  await clock.advance(100)
  assert.equal(journal.appended.length, 2)
  journal.listener.failed(full, false)
  await clock.advance(9_999)
  assert.equal(journal.appended.length, 2)
  await clock.advance(1)
  assert.deepEqual([journal.appended.length, journal.appended.at(-1)?.entry], [3, undefined])
  journal.listener.durable(3)
  assert.equal(await engine.get('a'), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyMutex } from './key-mutex.ts'

/** Work that notes its begin, and ends when it is told to. */
function world() {
  const mutex = new KeyMutex()
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const run = (name: string, ...keys: string[]) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return mutex.run(keys, () => {
      begun.push(name)
      return end.promise
    })
  }
  const end = async (name: string) => {
    ends.get(name)?.resolve(name)
    await flush()
  }
  return { mutex, begun, run, end, fail: (name: string) => ends.get(name)?.reject(new Error(name)) }
}

const flush = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

test('work on one key runs in the order of the calls, and other keys do not wait for it', async () => {
  const { begun, run, end } = world()
  const all = [run('first', 'a'), run('second', 'a'), run('other', 'b')]
  assert.deepEqual(begun, [])
  await flush()
  assert.deepEqual(begun, ['first', 'other'])
  await end('first')
  assert.deepEqual(begun, ['first', 'other', 'second'])
  await end('second')
  await end('other')
  assert.deepEqual(await Promise.all(all), ['first', 'second', 'other'])
})

test('work on several keys waits for all of them, and is waited for by each', async () => {
  const { begun, run, end } = world()
  void run('a', 'a')
  void run('both', 'a', 'b')
  void run('b', 'b')
  await flush()
  assert.deepEqual(begun, ['a'])
  await end('a')
  assert.deepEqual(begun, ['a', 'both'])
  await end('both')
  assert.deepEqual(begun, ['a', 'both', 'b'])
})

test('a failure is that of its caller alone', async () => {
  const { begun, run, end, fail } = world()
  const first = run('first', 'a')
  const second = run('second', 'a')
  fail('first')
  await assert.rejects(first, /first/)
  await end('second')
  assert.equal(await second, 'second')
  assert.deepEqual(begun, ['first', 'second'])
})

test('idle waits for what was begun meanwhile, too', async () => {
  const { mutex, run, end, fail } = world()
  let isIdle = false
  const first = run('first', 'a').catch(() => void run('second', 'a'))
  const idle = mutex.idle().then(() => {
    isIdle = true
  })
  fail('first')
  await first
  await flush()
  assert.equal(isIdle, false)
  await end('second')
  await idle
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../types/pod.ts'
import { fullNameOf, StaticPods } from './static-pods.ts'

const pod = (name: string, uid: string, image = 'app'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, uid },
  spec: { containers: [{ name: 'main', image }] },
  status: {},
})

/** Records its calls, and which pods run. */
function openHost() {
  const said: string[] = []
  const running = new Map<string, string>()
  const statics: StaticPods = new StaticPods({
    start(p) {
      said.push(`start ${p.metadata.uid}`)
      assert.equal(running.has(fullNameOf(p)), false, 'two pods of one name run')
      running.set(fullNameOf(p), p.metadata.uid ?? '')
    },
    update: (p) => void said.push(`update ${p.metadata.uid}`),
    stop(p) {
      said.push(`stop ${p.metadata.uid}`)
      return running.has(fullNameOf(p))
    },
    forget: (name) => void said.push(`forget ${name}`),
  })
  const end = (name: string) => {
    running.delete(name)
    statics.ended(name)
  }
  return { statics, said, running, end }
}

test('a pod that has changed starts when the one before it has stopped', () => {
  const { statics, said, end } = openHost()
  statics.set([pod('a', '1')])
  statics.set([pod('a', '2')])
  statics.set([pod('a', '3')])
  assert.deepEqual(said, ['start 1', 'stop 1'])
  end('default/a')
  assert.deepEqual(said.slice(2), ['start 3'])
})

test('a changed pod with an explicit UID is updated', () => {
  const { statics, said } = openHost()
  statics.set([pod('a', '1')])
  statics.set([pod('a', '1')])
  statics.set([pod('a', '1', 'app:2')])
  assert.deepEqual(said, ['start 1', 'update 1'])
})

test('a pod that was never admitted ends at once, and one that returns while it ends starts again', () => {
  const { statics, said, running, end } = openHost()
  statics.set([pod('a', '1')])
  running.clear()
  statics.set([])
  assert.deepEqual(said, ['start 1', 'stop 1', 'forget default/a'])
  statics.set([pod('a', '1')])
  statics.set([])
  statics.set([pod('a', '1')])
  end('default/a')
  assert.deepEqual(said.slice(3), ['start 1', 'stop 1', 'start 1'])
})

test('whatever the manifests become meanwhile, never do two of one name run, and in the end what is wanted runs', () => {
  const names = ['a', 'b', 'c']
  const wanted = fc.dictionary(fc.constantFrom(...names), fc.constantFrom('1', '2', '3'))
  const step = fc.oneof(
    wanted.map((set) => ({ set })),
    fc.constantFrom(...names).map((end) => ({ end })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), wanted, (steps, last) => {
      const { statics, running, end } = openHost()
      const asPods = (set: Record<string, string>) => Object.entries(set).map(([name, uid]) => pod(name, `${name}${uid}`))
      const stopping = (name: string) => running.get(name) !== undefined && statics.wanted(name)?.metadata.uid !== running.get(name)
      for (const s of [...steps, { set: last }]) {
        if ('set' in s) statics.set(asPods(s.set))
        else if (stopping(`default/${s.end}`)) end(`default/${s.end}`)
      }
      for (const name of names) if (stopping(`default/${name}`)) end(`default/${name}`)
      assert.deepEqual(
        Object.fromEntries([...running].sort()),
        Object.fromEntries(
          asPods(last)
            .map((p): [string, string] => [fullNameOf(p), p.metadata.uid ?? ''])
            .sort(),
        ),
      )
    }),
  )
})

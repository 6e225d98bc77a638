import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from './exposition.ts'
import { CounterMetric, MetricSet, MOST_SERIES } from './metrics.ts'

test('a counter without labels exists before the first count, one with labels does not', () => {
  const [plain, labelled] = [
    new CounterMetric({ name: 'plain', help: 'x' }),
    new CounterMetric({ name: 'labelled', help: 'x', labels: ['a'] }),
  ]
  assert.equal(exposition([plain.family, labelled.family]), '# HELP plain [ALPHA] x\n# TYPE plain counter\nplain 0\n')
})

test('label values beyond the limit are counted together, so that memory is bounded', () => {
  const counter = new CounterMetric({ name: 'c', help: 'x', labels: ['resource'] })
  for (let i = 0; i < MOST_SERIES + 500; i++) counter.add([`example.com/${i}`])
  const samples = [...counter.family.samples]
  assert.equal(samples.length, MOST_SERIES + 1)
  assert.deepEqual(samples.at(-1), ['resource="other"', 500])
})

test('what is declared again under a name is the same metric, and metrics are shown in the order of their declaration', () => {
  const set = new MetricSet()
  const first = set.counter({ name: 'first', help: 'x' })
  set.histogram({ name: 'second', help: 'y', bounds: [1] })
  assert.equal(set.counter({ name: 'first', help: 'x' }), first)
  assert.deepEqual(
    set.families().map(({ name, type }) => [name, type]),
    [
      ['first', 'counter'],
      ['second', 'histogram'],
    ],
  )
})

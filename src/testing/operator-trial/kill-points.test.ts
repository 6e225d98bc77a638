import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { requestInfo } from '../../apiserver/request/request-info.ts'
import { requestKillPoints, spread } from './kill-points.ts'
import type { TrialCall } from './program/trial-call.ts'

const calls = (...lines: readonly string[]): TrialCall[] =>
  lines.map((line, id) => {
    const [method = '', path = ''] = line.split(' ')
    return { id, atMs: id, life: 1, dryRun: false, ...requestInfo(method, path, { watching: false }) }
  })

const MAPS = '/api/v1/namespaces/a/configmaps'

test('a read that says nothing new is no point of its own; after a write it is', () => {
  const trace = calls(`GET ${MAPS}`, `GET ${MAPS}`, `POST ${MAPS}`, `GET ${MAPS}`, `GET ${MAPS}/x`, `GET ${MAPS}`)
  assert.deepEqual(requestKillPoints(trace, 100), [1, 3, 4, 5])
})

test('points are requests of the trace, in order, each once, and never more than wanted', () => {
  const lines = fc.array(fc.constantFrom(`GET ${MAPS}`, `GET ${MAPS}/x`, `POST ${MAPS}`, `PUT ${MAPS}/x`, 'GET /version'))
  fc.assert(
    fc.property(lines, fc.integer({ min: 0, max: 20 }), (trace, most) => {
      const points = requestKillPoints(calls(...trace), most)
      assert.ok(points.length <= most)
      assert.deepEqual(
        points,
        [...new Set(points)].sort((a, b) => a - b),
      )
      assert.ok(points.every((p) => p >= 1 && p <= trace.length))
      const writes = trace.flatMap((line, i) => (/^(POST|PUT)/.test(line) ? [i + 1] : []))
      if (most > trace.length)
        assert.deepEqual(
          writes.filter((w) => !points.includes(w)),
          [],
        )
    }),
  )
})

test('spread numbers begin with the first and end with the last', () => {
  assert.deepEqual([spread(3, 5), spread(10, 4), spread(10, 1), spread(10, 0)], [[1, 2, 3], [1, 4, 7, 10], [1], []])
})

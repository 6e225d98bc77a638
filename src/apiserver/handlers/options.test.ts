import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../machinery/status-error.ts'
import { parseQuery } from '../request/query.ts'
import { deleteOptions, deleteOptionsOfQuery, listOptions, writeOptions } from './options.ts'

/** What comes of it: `ok`, or code and message. */
function outcome(run: () => unknown): string {
  try {
    run()
    return 'ok'
  } catch (error) {
    assert.ok(isStatus(error), String(error))
    return `${error.code} ${error.message.replace(/^\S+ "" is invalid: /, '')}`
  }
}

test('options of lists and watches', () => {
  const cases: [query: string, watch: boolean, outcome: string][] = [
    ['', false, 'ok'],
    ['limit=5&continue=x', false, 'ok'],
    ['limit=', false, '400 strconv.ParseInt: parsing "": invalid syntax'],
    ['timeoutSeconds=', true, '400 strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=x', false, '400 strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'resourceVersionMatch=Exact',
      false,
      '422 resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    ['resourceVersion=1&resourceVersionMatch=Exact', false, 'ok'],
    ['sendInitialEvents=true', false, '422 sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true, 'ok'],
    ['continue=x', true, '422 resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'],
    ['continue=x&resourceVersion=5', true, 'ok'],
  ]
  for (const [query, watch, expected] of cases)
    assert.equal(
      outcome(() => listOptions(parseQuery(query), watch)),
      expected,
      query,
    )
})

test('options of writes', () => {
  const cases: [query: string, apply: boolean | undefined, outcome: string][] = [
    ['fieldManager=a', true, 'ok'],
    ['', true, '422 fieldManager: Required value: is required for apply patch'],
    ['force=true', false, '422 force: Forbidden: may not be specified for non-apply patch'],
    ['dryRun=Some', false, '422 dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    ['dryRun=All&dryRun=All', false, 'ok'],
  ]
  for (const [query, apply, expected] of cases)
    assert.equal(
      outcome(() => writeOptions('PatchOptions', parseQuery(query), apply)),
      expected,
      query,
    )
})

test('options of deletes, in the body and in the query', () => {
  assert.equal(
    outcome(() => deleteOptions({ propagationPolicy: 'Orphan', orphanDependents: true })),
    '422 propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  )
  assert.deepEqual(deleteOptions({ preconditions: { uid: 'u' }, gracePeriodSeconds: 0 }).preconditions, { uid: 'u' })
  const requested = deleteOptionsOfQuery(parseQuery('gracePeriodSeconds=3&dryRun=All&uid=u'))
  assert.deepEqual([requested.gracePeriodSeconds, requested.dryRun, requested.preconditions], [3, true, { uid: 'u' }])
  assert.equal(
    outcome(() => deleteOptionsOfQuery(parseQuery('gracePeriodSeconds='))),
    '400 strconv.ParseInt: parsing "": invalid syntax',
  )
})

test('a watch from the present state requests initial events, one from a revision does not', () => {
  const asks = (query: string) => listOptions(parseQuery(query), true).sendInitialEvents
  assert.deepEqual([asks(''), asks('resourceVersion=0'), asks('resourceVersion=5')], [true, true, undefined])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alreadyExists, conflict, forbiddenStatus, notFound, StatusError } from '../../machinery/status-error.ts'
import { isOrdinaryRace } from './ordinary-race.ts'

const PODS = { group: '', resource: 'pods' }
const causes = [{ reason: 'NamespaceTerminating', message: 'namespace a is being terminated', field: 'metadata.namespace' }]

for (const [what, error, expected] of [
  ['a conflict', conflict(PODS, 'p', 'changed'), true],
  ['a namespace that is being deleted', new StatusError({ code: 403, reason: 'Forbidden', message: 'no', details: { causes } }), true],
  ['a missing right', forbiddenStatus(PODS, 'p', 'no'), false],
  ['an object that is gone', notFound(PODS, 'p'), false],
  ['a name that is taken', alreadyExists(PODS, 'p'), false],
  ['an error of the program', new TypeError('x is undefined'), false],
] as const)
  test(`${what} is ${expected ? '' : 'not '}an ordinary race`, () => assert.equal(isOrdinaryRace(error), expected))

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managerOf } from './manager-of.ts'

test('the manager is the one named, the program of the user agent, or unknown', () => {
  const cases: [userAgent: string, fieldManager: string, manager: string][] = [
    ['kubectl/v1.36 (linux)', 'mine', 'mine'],
    ['kubectl/v1.36 (linux)', '', 'kubectl'],
    ['My Program', '', 'My Program'],
    ['', '', 'unknown'],
    ['/v1', '', 'unknown'],
    ['a\u0007b\u2003c/1', '', 'abc'],
    ['\u0007/1', '', 'unknown'],
    [`${'x'.repeat(200)}/1`, '', 'x'.repeat(128)],
    [`${'é'.repeat(100)}/1`, '', 'é'.repeat(64)],
  ]
  for (const [userAgent, fieldManager, manager] of cases) assert.equal(managerOf(userAgent, fieldManager), manager)
})

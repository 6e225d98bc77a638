import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Decision, resourceAttributes } from './authorizer.ts'
import { unionAuthorizer } from './union-authorizer.ts'

const attributes = resourceAttributes({ user: { name: 'a', groups: [] }, verb: 'get', resource: 'pods' })

/** `yes`, `no`, `-` and reasons behind a colon, errors behind a bang. */
function voice(text: string): Decision {
  const [, verdict = '', reason = '', error] = /^(yes|no|-)(?::([^!]*))?(?:!(.*))?$/.exec(text) ?? []
  return {
    verdict: verdict === 'yes' ? 'allow' : verdict === 'no' ? 'deny' : 'no-opinion',
    reason,
    ...(error === undefined ? {} : { error }),
  }
}

const table: readonly (readonly [voices: string, decision: string])[] = [
  ['', '-'],
  ['- yes:a no', 'yes:a'],
  ['- no:a yes', 'no:a'],
  ['-:a -:b', '-:a\nb'],
  ['-:a!x yes', 'yes'],
  ['-!x no:n', 'no:n'],
  ['-!x no:n!y', 'no:n!y'],
  ['-!x -:b', '-:b!x'],
  ['-!x -!y -!x', '-:![x, y]'],
]

for (const [voices, decision] of table) {
  for (const later of [false, true]) {
    test(`of the voices "${voices}"${later ? ', which take their time,' : ''} comes ${JSON.stringify(decision)}`, async () => {
      const authorizers = voices
        .split(' ')
        .filter(Boolean)
        .map((v) => ({ authorize: () => (later ? Promise.resolve(voice(v)) : voice(v)) }))
      const decided = unionAuthorizer(authorizers).authorize(attributes)
      assert.equal(decided instanceof Promise, later && authorizers.length > 0)
      const [head = '', ...rest] = decision.split('!')
      const [verdict = '', ...reason] = head.split(':')
      const wanted = { ...voice(verdict), reason: reason.join(':'), ...(rest.length === 0 ? {} : { error: rest.join('!') }) }
      assert.deepEqual(await decided, wanted)
    })
  }
}

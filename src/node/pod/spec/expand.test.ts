import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ArgumentListError, expandReferences } from './expand.ts'

/** Kubernetes' rules, naively: the model. */
function model(text: string, value: (name: string) => string | undefined): string {
  let out = ''
  for (let i = 0; i < text.length; i++) {
    const end = text.indexOf(')', i + 2)
    if (text[i] !== '$' || i + 1 === text.length) out += text[i]
    else if (text[i + 1] === '$') {
      out += '$'
      i++
    } else if (text[i + 1] === '(' && end >= 0) {
      const name = text.slice(i + 2, end)
      out += value(name) ?? `$(${name})`
      i = end
    } else out += text[i]
  }
  return out
}

test('references expand as a reader that looks at each letter expands them', () => {
  const value = (name: string) => (name === 'A' ? '$(B)' : name === '' ? undefined : name.length === 1 ? '' : undefined)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'b') }), (text) => {
      assert.equal(expandReferences(text, value), model(text, value))
    }),
  )
})

test('variables that double each other end at the limit of an argument', () => {
  const values = new Map([['E0', 'x'.repeat(1024)]])
  const double = (i: number) => expandReferences(`$(E${i})$(E${i})`, (name) => values.get(name))
  for (let i = 0; i < 7; i++) values.set(`E${i + 1}`, double(i))
  assert.equal(values.get('E7')?.length, 128 * 1024)
  assert.throws(() => double(7), ArgumentListError)
})

test('a text of references that never end is read once', () => {
  const text = '$('.repeat(60_000)
  assert.equal(
    expandReferences(text, () => 'x'),
    text,
  )
})

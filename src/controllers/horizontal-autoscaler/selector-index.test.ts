import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nothing, parseLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { SelectorIndex } from './selector-index.ts'

const name = fc.constantFrom('a', 'b', 'c')
const requirement = fc.oneof(
  fc.tuple(name, name).map(([k, v]) => `${k}=${v}`),
  fc.tuple(name, name).map(([k, v]) => `${k}!=${v}`),
  fc.tuple(name, fc.uniqueArray(name, { minLength: 1 })).map(([k, v]) => `${k} in (${v.join(',')})`),
  fc.tuple(name, fc.uniqueArray(name, { minLength: 1 })).map(([k, v]) => `${k} notin (${v.join(',')})`),
  name,
  name.map((k) => `!${k}`),
)
const selector = fc.array(requirement, { maxLength: 3 }).map((parts) => parts.join(','))
const change = fc.record({
  key: fc.constantFrom('h1', 'h2', 'h3', 'h4'),
  namespace: fc.constantFrom('n', 'm'),
  selector: fc.option(selector),
})
const labels = fc.dictionary(name, name)

test('the index finds what asking every selector finds, whatever was set and deleted before', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), labels, (changes, labels) => {
      const index = new SelectorIndex()
      const plain = new Map<string, { readonly namespace: string; readonly text: string }>()
      for (const { key, namespace, selector: text } of changes) {
        if (text === null) {
          index.delete(key)
          plain.delete(key)
        } else {
          index.set(key, namespace, text === '' ? nothing : parseLabelSelector(text))
          plain.set(key, { namespace, text })
        }
      }
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', labels } }
      const requested = [...plain].filter(([, p]) => p.namespace === 'n' && p.text !== '' && parseLabelSelector(p.text).matches(labels))
      assert.deepEqual(index.matching(pod).toSorted(), requested.map(([key]) => key).toSorted())
    }),
  )
})

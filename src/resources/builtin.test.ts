import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyDefaultsAtOnce } from '../machinery/resource/apply-defaults.ts'
import { builtinResources } from './builtin.ts'

const all = builtinResources()

test('every built-in resource is there once', () => {
  const names = all.map((d) => `${d.names.plural}.${d.group}`)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length >= 67)
})

for (const definition of all)
  test(`every version has a schema of its kind, and columns whose cells can be read from an empty object: ${definition.names.plural}.${definition.group}`, () => {
    for (const version of definition.versions) {
      const schema = version.schema()
      assert.equal(schema.type === 'struct' && schema.name, definition.names.kind)
      for (const column of version.columns) {
        assert.equal(typeof column.description, 'string')
        const cell = column.cell({ apiVersion: 'v1', kind: definition.names.kind, metadata: {} }, 0)
        assert.ok(['string', 'number', 'boolean'].includes(typeof cell), `${definition.names.plural} ${column.name}`)
      }
    }
  })

const CONTEXT = {
  now: 0,
  random: { next: () => 0, int: () => 0, uuid: () => 'u', suffix: () => 'x' },
  user: { name: 'u', groups: [] },
  dryRun: true,
  subresource: '',
  warn: () => {},
  reader: { get: () => undefined, list: () => [] },
}
const stored = all.filter((definition) => definition.review === undefined)
/** An object that a careless client might send: what every kind has, and nothing of its own. */
const almostEmpty = ({ names, versions }: (typeof all)[number]) => ({
  apiVersion: versions[0]?.version ?? 'v1',
  kind: names.kind,
  metadata: { name: 'n' },
  spec: {},
})

for (const definition of stored)
  test(`defaults of an almost empty object are complete after the first time: ${definition.names.plural}.${definition.group}`, () => {
    const once = almostEmpty(definition)
    applyDefaultsAtOnce(definition.rules, once)
    const twice = structuredClone(once)
    applyDefaultsAtOnce(definition.rules, twice)
    assert.deepEqual(twice, once)
  })

for (const definition of stored)
  test(`each fault of an almost empty object names its field and its reason: ${definition.names.plural}.${definition.group}`, () => {
    const draft = almostEmpty(definition)
    const context = { ...CONTEXT, apiVersion: draft.apiVersion }
    const { rules } = definition
    applyDefaultsAtOnce(rules, draft)
    try {
      rules.prepareForCreate?.(draft, context)
    } catch (error) {
      assert.match(String(error), /is invalid/)
      return
    }
    for (const fault of rules.validateCreate?.(draft, context) ?? []) {
      assert.match(fault.field, /^[a-z]\w*/)
      assert.notEqual(fault.message, '')
    }
  })

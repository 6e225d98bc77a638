import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinResources } from './builtin.ts'

const all = builtinResources()

test('every built-in resource is there once', () => {
  const names = all.map((d) => `${d.names.plural}.${d.group}`)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length >= 67)
})

test('every version has a schema of its kind, and columns whose cells can be read from an empty object', () => {
  for (const definition of all) {
    for (const version of definition.versions) {
      const schema = version.schema()
      assert.equal(schema.type === 'struct' && schema.name, definition.names.kind)
      for (const column of version.columns) {
        assert.equal(typeof column.description, 'string')
        const cell = column.cell({ apiVersion: 'v1', kind: definition.names.kind, metadata: {} }, 0)
        assert.ok(['string', 'number', 'boolean'].includes(typeof cell), `${definition.names.plural} ${column.name}`)
      }
    }
  }
})

test('defaults and validation of an almost empty object throw nothing', () => {
  const context = {
    now: 0,
    random: { next: () => 0, int: () => 0, uuid: () => 'u', suffix: () => 'x' },
    user: { name: 'u', groups: [] },
    dryRun: true,
    subresource: '',
    warn: () => {},
    reader: { get: () => undefined, list: () => [] },
  }
  for (const definition of all) {
    if (definition.review) continue
    const apiVersion = definition.versions[0]?.version ?? 'v1'
    const draft = { apiVersion, kind: definition.names.kind, metadata: { name: 'n' }, spec: {} }
    const { rules } = definition
    rules.defaults?.(draft)
    try {
      rules.prepareForCreate?.(draft, { ...context, apiVersion })
    } catch (error) {
      assert.match(String(error), /is invalid/)
    }
    rules.validateCreate?.(draft, { ...context, apiVersion })
  }
})

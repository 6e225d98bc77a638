import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field, Schema } from './schema.ts'
import { typescriptTypes } from './typescript.ts'

const field = (schema: Schema, description?: string): Field => ({
  schema,
  tag: 0,
  omitEmpty: true,
  ...(description ? { description } : {}),
})
const struct = (fields: Record<string, Field>, required: string[] = [], more: Partial<Schema> = {}): Schema =>
  ({ type: 'struct', required, fields: new Map(Object.entries(fields)), ...more }) as Schema
const text: Schema = { type: 'scalar', scalar: 'string' }

test('a custom resource becomes an interface, and each struct in it another', () => {
  const schema = struct(
    {
      spec: field(
        struct(
          {
            replicas: field({ type: 'scalar', scalar: 'integer', nullable: true }, 'How many.\nAt least one.'),
            size: field({ type: 'scalar', scalar: 'string', enum: ['S', "it's"] }),
            'x-port': field({ type: 'scalar', scalar: 'int-or-string' }),
            rules: field({ type: 'list', items: struct({ to: field(text) }, ['to']) }),
            labels: field({ type: 'map', values: text }),
            free: field({ type: 'any' }),
          },
          ['replicas'],
        ),
      ),
    },
    ['spec'],
    { description: 'Runs things. */' },
  )
  assert.equal(
    typescriptTypes(schema, { apiVersion: 'stable.example.com/v1', kind: 'CronTab' }),
    `import type { ObjectMeta } from 'bowsprit'

/** Runs things. *\\/ */
export interface CronTab {
  apiVersion: 'stable.example.com/v1'
  kind: 'CronTab'
  metadata: ObjectMeta
  spec: CronTabSpec
}

export interface CronTabSpec {
  /**
   * How many.
   * At least one.
   */
  replicas: number | null
  size?: 'S' | 'it\\'s'
  'x-port'?: number | string
  rules?: CronTabSpecRule[]
  labels?: Record<string, string>
  free?: unknown
}

export interface CronTabSpecRule {
  to: string
}
`,
  )
})

test('two structs of one name get different names', () => {
  const schema = struct({ a: field(struct({ b: field(struct({ x: field(text) })) })), aB: field(struct({ y: field(text) })) })
  const types = typescriptTypes(schema, { apiVersion: 'v1', kind: 'K' })
  assert.match(types, /interface KAB \{\n {2}x\?/)
  assert.match(types, /interface KAB2 \{\n {2}y\?/)
})

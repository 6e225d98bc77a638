/** `node bench/cel.ts`: evaluations of expressions a second, on one core. */
import { createEnvironment } from '../src/machinery/cel/environment.ts'
import { KUBERNETES_LIBRARIES } from '../src/machinery/cel/kubernetes/libraries.ts'
import { compile } from '../src/machinery/cel/program.ts'
import { celTypeOf } from '../src/machinery/cel/schema/cel-type.ts'
import { celDynamic, celValueOf } from '../src/machinery/cel/schema/cel-value.ts'
import { DYN } from '../src/machinery/cel/types.ts'
import type { Field, Schema } from '../src/machinery/schema/schema.ts'

const env = createEnvironment(KUBERNETES_LIBRARIES)
const text: Schema = { type: 'scalar', scalar: 'string' }
const whole: Schema = { type: 'scalar', scalar: 'integer' }
const field = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })
const schema: Schema = {
  type: 'struct',
  required: [],
  fields: new Map([
    ['replicas', field(whole)],
    ['maxReplicas', field(whole)],
    ['name', field(text)],
    ['ports', field({ type: 'list', items: whole })],
  ]),
}
const json = { replicas: 3, maxReplicas: 10, name: 'web-1', ports: Array.from({ length: 20 }, (_, i) => 8000 + i) }

const RULES = [
  ['a simple rule', 'self.replicas <= self.maxReplicas'],
  ['a pattern', 'self.name.matches("^[a-z]+-[0-9]+$")'],
  ['a loop over 20', 'self.ports.all(p, p > 1024)'],
] as const

function measure(name: string, once: () => unknown): void {
  for (let i = 0; i < 20_000; i++) once()
  let turns = 0
  const start = performance.now()
  let elapsed = 0
  while (elapsed < 500) {
    for (let i = 0; i < 1000; i++) once()
    turns += 1000
    elapsed = performance.now() - start
  }
  console.log(
    `${name.padEnd(48)} ${Math.round((turns / elapsed) * 1000)
      .toLocaleString('en')
      .padStart(12)} evaluations/s`,
  )
}

const type = celTypeOf(schema)
if (type === undefined) throw new Error('the schema has a type')
for (const [name, rule] of RULES) {
  const program = compile(rule, { env, variables: [{ name: 'self', type }] })
  measure(`${name}, typed: ${rule}`.slice(0, 48), () => program.run({ self: celValueOf(schema, json) }, { spent: 0, limit: 1_000_000 }))
  const dynamic = compile(rule, { env, variables: [{ name: 'self', type: DYN }] })
  measure(`${name}, dynamic`, () => dynamic.run({ self: celDynamic(json) }, { spent: 0, limit: 1_000_000 }))
}

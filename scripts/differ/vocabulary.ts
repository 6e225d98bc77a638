import type { Json } from '../../src/machinery/object.ts'
import type { Draw } from './draw.ts'
import { membersOf } from './schema.ts'

const TEXTS = [
  'a',
  'b',
  '',
  'A_b',
  'x.io/a',
  '-a',
  'a b',
  '1',
  'true',
  'é',
  'a<&>b',
  'a'.repeat(64),
  'a'.repeat(254),
  '*',
  '/a',
  '../a',
  'app=b',
  '10.0.0.9',
  '::1',
  '1h',
  'a && (b',
  '[1 2]',
  'has(object.metadata.labels)',
]
const NUMBERS = [0, 1, 2, 3, -1, 80, 100, 101, 65535, 65536, 2147483647, 2147483648, 1.5]
const QUANTITIES: Json[] = ['1', '100m', '1Gi', '0', '-1', '1500m', '0.1', '1e3', '5', 'abc', '1.5Gi', '12E', '1m', 2]
const TIMES: Json[] = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05+02:00', 'today', null]

/** Values that the schema of their type describes too loosely. */
export const TYPED: Readonly<Record<string, readonly Json[]>> = {
  Quantity: QUANTITIES,
  Time: TIMES,
  MicroTime: TIMES,
  IntOrString: [0, 1, 80, '50%', '0%', '101%', 'http', 'a b', -1, ''],
  Duration: ['1s', '1h', 'x', '-1s'],
  FieldsV1: [{}, { 'f:a': {} }],
  RawExtension: [{}, { kind: 'A', apiVersion: 'a/v1' }, { a: 'b' }, 'text'],
}

/** The plain values that valid objects have in members of one name, so that drawn values are often valid. */
export class Vocabulary {
  readonly #byName = new Map<string, Set<Json>>()

  learn(value: Json, name = ''): void {
    for (const [key, member] of membersOf(value)) this.learn(member, Array.isArray(value) ? name : key)
    if (typeof value !== 'object') this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(value))
  }

  /** A value for a member of this name and plain type; one of three is any of its type. */
  plain(draw: Draw, name: string, type: string): Json {
    const known = [...(this.#byName.get(name) ?? [])].filter((value) => typeof value === (type === 'integer' ? 'number' : type))
    const seen = draw.chance(0.67) ? draw.pick(known) : undefined
    if (seen !== undefined) return seen
    if (type === 'boolean') return draw.chance(0.5)
    return draw.pick<Json>(type === 'string' ? TEXTS : NUMBERS) ?? null
  }
}

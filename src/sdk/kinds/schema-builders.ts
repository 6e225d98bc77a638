import type { Json, JsonObject } from '../../machinery/object.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import type { Condition } from './condition.ts'
import { type AnySchema, type Presence, type ReadOf, Schema, type WrittenOf } from './schema.ts'

/** What texts may be. */
export interface TextLimits {
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression (RE2); it is not anchored by itself. */
  readonly pattern?: string
  /** `date-time`, `uri`, `ipv4`, `duration` and the other formats that the API server checks. */
  readonly format?: string
}

/** What numbers may be. */
export interface NumberLimits {
  readonly minimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
}

/** What lists may be, and how they are merged. */
export interface ListLimits {
  readonly minItems?: number
  readonly maxItems?: number
  /** Server-side apply takes items with the same values of these fields for the same item. Default: the list has one owner. */
  readonly keys?: readonly string[]
  /** Server-side apply takes the list for a set: no value twice, each with an owner. */
  readonly set?: boolean
}

/** The fields of an object. */
export type Fields = Readonly<Record<string, AnySchema>>

type Flat<T> = { [K in keyof T]: T[K] }
type PresenceOf<S> = S extends Schema<infer _R, infer _W, infer P extends Presence> ? P : never
type MayLack<F extends Fields> = { [K in keyof F]: PresenceOf<F[K]> extends 'optional' ? K : never }[keyof F]
type MayOmit<F extends Fields> = { [K in keyof F]: PresenceOf<F[K]> extends 'required' ? never : K }[keyof F]

/** The object of these fields, as it is read. */
export type ReadFields<F extends Fields> = Flat<
  { [K in Exclude<keyof F, MayLack<F>>]: ReadOf<F[K]> } & { [K in MayLack<F>]?: ReadOf<F[K]> }
>
/** The object of these fields, as it may be written. */
export type WrittenFields<F extends Fields> = Flat<
  { [K in Exclude<keyof F, MayOmit<F>>]: WrittenOf<F[K]> } & { [K in MayOmit<F>]?: WrittenOf<F[K]> }
>

const schema = <Read, Written = Read>(props: SchemaProps) => new Schema<Read, Written>(props, 'required')

function object<F extends Fields>(
  fields: F,
  limits: { readonly atomic?: boolean; readonly description?: string } = {},
): Schema<ReadFields<F>, WrittenFields<F>> {
  const required = Object.keys(fields).filter((name) => fields[name]?.presence === 'required')
  return schema({
    ...(limits.description === undefined ? {} : { description: limits.description }),
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, s]) => [name, s.props])),
    ...(limits.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  })
}

function array<S extends AnySchema>(items: S, { keys, set, ...limits }: ListLimits = {}): Schema<ReadOf<S>[], WrittenOf<S>[]> {
  const merge = keys !== undefined ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] } : {}
  return schema({ type: 'array', items: items.props, ...limits, ...merge, ...(set ? { 'x-kubernetes-list-type': 'set' } : {}) })
}

const REASON = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'
const CONDITION_TYPE = '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

/** `metav1.Condition`s, one a type: what `kubectl wait --for=condition=…` reads. */
const conditions = (): Schema<Condition[], Condition[], 'optional'> => {
  const one = object({
    type: text({ maxLength: 316, pattern: CONDITION_TYPE }),
    status: words('True', 'False', 'Unknown'),
    observedGeneration: schema<number>({ type: 'integer', format: 'int64', minimum: 0 }).optional(),
    lastTransitionTime: text({ format: 'date-time' }),
    reason: text({ minLength: 1, maxLength: 1024, pattern: REASON }),
    message: text({ maxLength: 32_768 }),
  })
  return schema<Condition[]>(array(one, { keys: ['type'] }).props).optional()
}

const text = (limits: TextLimits = {}): Schema<string> => schema({ type: 'string', ...limits })
const words = <const W extends readonly [string, ...string[]]>(...of: W): Schema<W[number]> => schema({ type: 'string', enum: [...of] })

/**
 * Builds schemas of custom resources: each is a value with the TypeScript type of its values. Fields are required without `.optional()` or
 * `.default(…)`.
 *
 * ```ts
 * const spec = t.object({
 * size: t.integer({ minimum: 1 }).default(1),
 * color: t.enum('red', 'blue').optional(),
 * ports: t.array(t.object({ name: t.string(), port: t.integer() }), { keys: ['name'] }).default([]),
 * })
 * ```
 */
export const t = Object.freeze({
  /** A map with these fields; others are dropped by the API server. `atomic`: server-side apply gives it one owner as a whole. */
  object,
  /** A list. */
  array,
  /** A map from any text to values of one kind. */
  record: <S extends AnySchema>(
    values: S,
    limits: { readonly minProperties?: number; readonly maxProperties?: number } = {},
  ): Schema<Record<string, ReadOf<S>>, Record<string, WrittenOf<S>>> =>
    schema({ type: 'object', additionalProperties: values.props, ...limits }),
  /** A text. */
  string: text,
  /** One of these texts. */
  enum: words,
  /** A whole number of 32 bits; `int64` takes larger ones. */
  integer: ({ int64, ...limits }: NumberLimits & { readonly int64?: boolean } = {}): Schema<number> =>
    schema({ type: 'integer', format: int64 ? 'int64' : 'int32', ...limits }),
  /** A number. */
  number: (limits: NumberLimits = {}): Schema<number> => schema({ type: 'number', ...limits }),
  /** True or false. */
  boolean: (): Schema<boolean> => schema({ type: 'boolean' }),
  /** A number or a text, as ports and `maxUnavailable` are. */
  intOrString: (): Schema<number | string> => schema({ 'x-kubernetes-int-or-string': true }),
  /** An amount: `500m`, `10Gi`. */
  quantity: (): Schema<number | string> =>
    schema({
      'x-kubernetes-int-or-string': true,
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    }),
  /** A time in RFC 3339: `2026-01-01T00:00:00Z`. */
  time: (): Schema<string> => text({ format: 'date-time' }),
  /** A map whose fields are not validated. */
  anything: (): Schema<JsonObject> => schema({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  /** A whole Kubernetes object inside this one. */
  embedded: (): Schema<JsonObject> =>
    schema({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true }),
  /** The list of conditions of a status; `defineKind` puts one in by itself. */
  conditions,
  /** A schema that is written out already, with the type of its values. */
  schema: <Read = Json>(props: SchemaProps): Schema<Read> => schema(props),
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { getConformanceSuite, type IncrementalTest, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { check } from './checker.ts'
import { createEnvironment, type Overload, type Variable } from './environment.ts'
import { LIST_EXTENSION, SETS } from './libraries/lists.ts'
import { MATH } from './libraries/math.ts'
import { BINDINGS, ENCODERS, OPTIONALS } from './libraries/optional.ts'
import { STRING_EXTENSION } from './libraries/strings.ts'
import { TWO_VARIABLE_MACROS } from './macros.ts'
import { parse } from './parser.ts'
import { plan } from './program.ts'
import { STANDARD } from './standard/standard.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  param,
  STRING,
  showType,
  TIMESTAMP,
  typeOf,
  UINT,
} from './types.ts'
import { CelMap, Duration, equals, type Key, Timestamp, TypeValue, Uint, type Value } from './values.ts'

/** The cases that are known to differ: `section/test: reason`, a line each. */
const known = new Set(
  readFileSync(path.join(import.meta.dirname, 'conformance-differences.txt'), 'utf8')
    .split('\n')
    .filter((l) => l !== '' && !l.startsWith('#'))
    .map((l) => l.slice(0, l.indexOf(': '))),
)

const LIBRARIES = [
  ...STANDARD,
  { macros: TWO_VARIABLE_MACROS },
  OPTIONALS,
  STRING_EXTENSION,
  MATH,
  ENCODERS,
  BINDINGS,
  SETS,
  LIST_EXTENSION,
]

/** Programs that make or read protobuf messages: Kubernetes has none, and neither has this engine. */
const MESSAGES =
  /TestAllTypes|google\.protobuf\.(?!Timestamp\b|Duration\b)|proto\.(?:get|has)Ext|GlobalEnum|NestedEnum|objectValue|\bcel\.expr\.conformance|NullValue|(?:U?Int\d+|Float|Double)Value\{|cel\.block|cel\.index|cel\.iterVar/

class Unsupported extends Error {}

interface ProtoValue {
  readonly kind: { readonly case: string | undefined; readonly value?: unknown }
}

function fromProto({ kind }: ProtoValue): Value {
  switch (kind.case) {
    case 'nullValue':
      return null
    case 'boolValue':
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'bytesValue':
      return kind.value as Value
    case 'uint64Value':
      return new Uint(kind.value as bigint)
    case 'listValue':
      return (kind.value as { values: ProtoValue[] }).values.map(fromProto)
    case 'mapValue':
      return CelMap.of(
        (kind.value as { entries: { key: ProtoValue; value: ProtoValue }[] }).entries.map(
          (e) => [fromProto(e.key) as Key, fromProto(e.value)] as const,
        ),
      )
    case 'typeValue':
      return new TypeValue(kind.value as string)
    case 'objectValue':
      return fromAny(kind.value as { typeUrl: string; value: Uint8Array })
    default:
      throw new Unsupported(kind.case)
  }
}

/** A timestamp or duration inside `google.protobuf.Any`: two varint fields. */
function fromAny({ typeUrl, value }: { typeUrl: string; value: Uint8Array }): Value {
  const fields: [bigint, bigint] = [0n, 0n]
  for (let i = 0; i < value.length; ) {
    const field = ((value[i++] ?? 0) >> 3) - 1
    let n = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = value[i++] ?? 0
      n |= BigInt(byte & 127) << shift
      if (byte < 128) break
    }
    fields[field as 0 | 1] = BigInt.asIntN(64, n)
  }
  const nanos = fields[0] * 1_000_000_000n + fields[1]
  if (typeUrl.endsWith('google.protobuf.Timestamp')) return new Timestamp(nanos)
  if (typeUrl.endsWith('google.protobuf.Duration')) return new Duration(nanos)
  throw new Unsupported(typeUrl)
}

interface ProtoType {
  readonly typeKind: { readonly case: string | undefined; readonly value?: unknown }
}

const PRIMITIVE: readonly (CelType | undefined)[] = [undefined, BOOL, INT, UINT, DOUBLE, STRING, BYTES]

function typeFromProto({ typeKind }: ProtoType): CelType {
  const { value } = typeKind
  switch (typeKind.case) {
    case 'dyn':
      return DYN
    case 'null':
      return NULL
    case 'primitive':
      return PRIMITIVE[value as number] ?? DYN
    case 'wellKnown':
      if (value === 1) throw new Unsupported('any')
      return value === 2 ? TIMESTAMP : DURATION
    case 'listType':
      return listOf(typeFromProto((value as { elemType: ProtoType }).elemType))
    case 'mapType':
      return mapOf(typeFromProto((value as { keyType: ProtoType }).keyType), typeFromProto((value as { valueType: ProtoType }).valueType))
    case 'typeParam':
      return param(value as string)
    case 'type':
      return typeOf(typeFromProto(value as ProtoType))
    case 'abstractType': {
      const t = value as { name: string; parameterTypes: ProtoType[] }
      return opaque(t.name, ...t.parameterTypes.map(typeFromProto))
    }
    default:
      throw new Unsupported(typeKind.case)
  }
}

/** Functions that a case only declares: they can be checked, not run. */
function declaredFunctions(t: IncrementalTest['original']): Record<string, Overload[]> {
  return Object.fromEntries(
    t.typeEnv.flatMap((d) => {
      if (d.declKind.case !== 'function') return []
      const overloads = d.declKind.value.overloads.map(
        (o): Overload => ({
          id: o.overloadId,
          member: o.isInstanceFunction,
          params: o.params.map((p) => typeFromProto(p as unknown as ProtoType)),
          result: typeFromProto(o.resultType as unknown as ProtoType),
          impl: () => {
            throw new Unsupported('declared only')
          },
        }),
      )
      return [[d.name, overloads] as const]
    }),
  )
}

/** Why the case fails, or undefined. */
function run({ original: t }: IncrementalTest): string | undefined {
  const env = createEnvironment([...LIBRARIES, { functions: declaredFunctions(t) }], { container: t.container })
  const variables: Variable[] = t.typeEnv.flatMap((d) =>
    d.declKind.case === 'ident' ? [{ name: d.name, type: typeFromProto(d.declKind.value.type as unknown as ProtoType) }] : [],
  )
  const bindings = Object.fromEntries(
    Object.entries(t.bindings).map(([k, v]) => [k, v.kind.case === 'value' ? fromProto(v.kind.value as ProtoValue) : null]),
  )
  const matcher = t.resultMatcher
  const wantsError = matcher.case === 'evalError' || matcher.case === 'anyEvalErrors'
  let value: Value
  try {
    const expr = parse(t.expr, { macros: t.disableMacros ? [] : env.macros, optionals: true, quotedNames: true })
    const checked = check(expr, env, variables)
    if (!t.disableCheck && checked.issues.length > 0) return wantsError ? undefined : `does not check: ${checked.issues[0]?.message}`
    if (matcher.case === 'typedResult' && matcher.value.deducedType) {
      const wanted = showType(typeFromProto(matcher.value.deducedType as unknown as ProtoType))
      if (showType(checked.type) !== wanted) return `has type ${showType(checked.type)}, not ${wanted}`
    }
    if (t.checkOnly) return undefined
    value = plan(expr, env, checked).run(bindings)
  } catch (error) {
    if (error instanceof Unsupported) throw error
    return wantsError ? undefined : `fails: ${error instanceof Error ? `${error.name} ${error.message}` : error}`
  }
  if (wantsError) return `gives ${String(value)} where an error is wanted`
  const wanted =
    matcher.case === 'value'
      ? fromProto(matcher.value as ProtoValue)
      : matcher.case === 'typedResult' && matcher.value.result !== undefined
        ? fromProto(matcher.value.result as ProtoValue)
        : matcher.case === undefined
          ? true
          : undefined
  if (wanted === undefined) throw new Unsupported(matcher.case)
  const same =
    equals(value, wanted) || (typeof value === 'number' && Number.isNaN(value) && typeof wanted === 'number' && Number.isNaN(wanted))
  return same ? undefined : `gives ${show(value)}, not ${show(wanted)}`
}

const show = (v: Value): string =>
  JSON.stringify(v, (_k, x) => (typeof x === 'bigint' ? `${x}n` : x instanceof CelMap ? [...x.entries()] : x))

function all(suite: IncrementalTestSuite, prefix = ''): { readonly name: string; readonly test: IncrementalTest }[] {
  return [
    ...suite.tests.map((t) => ({ name: `${prefix}/${t.name}`, test: t })),
    ...suite.suites.flatMap((s) => all(s, prefix === '' ? s.name : `${prefix}/${s.name}`)),
  ]
}

test('the cases of cel-spec hold, save those on messages and the list of differences', () => {
  const failures: string[] = []
  let passed = 0
  let messages = 0
  for (const { name, test: t } of all(getConformanceSuite())) {
    const text = `${t.original.expr} ${t.original.container} ${JSON.stringify(t.original.typeEnv, (_k, v) => (typeof v === 'bigint' ? String(v) : v))}`
    try {
      if (MESSAGES.test(text)) throw new Unsupported('message')
      const why = run(t)
      if (why === undefined) passed++
      else if (!known.has(name)) failures.push(`${name}: ${t.original.expr}: ${why}`)
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error
      messages++
    }
  }
  assert.deepEqual(failures, [])
  assert.ok(passed > 1200, `${passed} cases passed, ${messages} are about messages`)
})

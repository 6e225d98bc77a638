import { call, type Expr, list } from '../ast.ts'
import type { Library } from '../environment.ts'
import type { MacroCall } from '../macros.ts'
import { overload } from '../standard/declare.ts'
import { checkedInt } from '../standard/numbers.ts'
import { BOOL, type CelType, DOUBLE, DYN, INT, listOf, UINT } from '../types.ts'
import { CelError, compareNumbers, isNumeric, Uint, type Value } from '../values.ts'

type Num = bigint | number | Uint

/** `math.greatest(a, b, …)` and `math.least` take any number of arguments, which become a list. */
const variadic = (name: 'greatest' | 'least') => ({
  name,
  member: true,
  args: undefined,
  expand(m: MacroCall): Expr | undefined {
    if (m.target.kind !== 'ident' || m.target.name !== 'math') return undefined
    const fn = `math.@${name === 'greatest' ? 'max' : 'min'}`
    if (m.args.length === 0) return m.fail(m.target.at, `math.${name}() requires at least one argument`)
    for (const arg of m.args) {
      const bad =
        arg.kind === 'literal'
          ? !['int', 'uint', 'double'].includes(arg.value.type)
          : arg.kind === 'map' || arg.kind === 'message' || (arg.kind === 'list' && m.args.length > 1)
      if (bad) return m.fail(arg.at, `math.${name}() invalid ${m.args.length === 1 ? 'single ' : ''}argument value`)
    }
    if (m.args.length <= 2) return call(m.at, fn, ...m.args)
    return call(m.at, fn, list(m.at, ...m.args))
  },
})

function extreme(values: readonly Value[], sign: number, name: string): Value {
  let best: Num | undefined
  for (const v of values) {
    if (!isNumeric(v)) throw new CelError(`no such overload: math.@${name}`)
    if (best === undefined || (compareNumbers(v, best) ?? 0) * sign > 0) best = v
  }
  if (best === undefined) throw new CelError(`math.@${name}(list) argument must not be empty`)
  return best
}

const NUMBERS: readonly CelType[] = [INT, UINT, DOUBLE]

const extremes = (name: 'max' | 'min', sign: number) => [
  ...NUMBERS.map((t) => overload(`math_@${name}_${t.kind}`, [t], t, (v: Value) => v)),
  ...NUMBERS.flatMap((a) =>
    NUMBERS.map((b) =>
      overload(`math_@${name}_${a.kind}_${b.kind}`, [a, b], a === b ? a : DYN, (x: Value, y: Value) => extreme([x, y], sign, name)),
    ),
  ),
  ...NUMBERS.map((t) => overload(`math_@${name}_list_${t.kind}`, [listOf(t)], t, (l: readonly Value[]) => extreme(l, sign, name))),
  overload(`math_@${name}_list_dyn`, [listOf(DYN)], DYN, (l: readonly Value[]) => extreme(l, sign, name)),
]

const double = (name: string, f: (d: number) => number) => [overload(`math_${name}_double`, [DOUBLE], DOUBLE, f)]
const test = (name: string, f: (d: number) => boolean) => [overload(`math_${name}_double`, [DOUBLE], BOOL, f)]

const U64 = 2n ** 64n
const bits = (name: string, f: (a: bigint, b: bigint) => bigint) => [
  overload(`math_${name}_int_int`, [INT, INT], INT, (a: bigint, b: bigint) => BigInt.asIntN(64, f(a, b))),
  overload(`math_${name}_uint_uint`, [UINT, UINT], UINT, (a: Uint, b: Uint) => new Uint(BigInt.asUintN(64, f(a.value, b.value)))),
]

function shift(name: string, f: (value: bigint, by: bigint, unsigned: boolean) => bigint) {
  const by = (n: bigint) => {
    if (n < 0n) throw new CelError(`math.${name}() negative offset: ${n}`)
    return n
  }
  return [
    overload(`math_${name}_int_int`, [INT, INT], INT, (a: bigint, n: bigint) =>
      by(n) > 63n ? 0n : BigInt.asIntN(64, f(BigInt.asUintN(64, a), n, false)),
    ),
    overload(`math_${name}_uint_int`, [UINT, INT], UINT, (a: Uint, n: bigint) => new Uint(by(n) > 63n ? 0n : f(a.value, n, true) % U64)),
  ]
}

/** Rounds halves away from zero. */
const round = (d: number) => (Number.isFinite(d) ? Math.sign(d) * Math.round(Math.abs(d)) : d)

/** The math extension of cel-go (`ext.Math`). */
export const MATH: Library = {
  macros: [variadic('greatest'), variadic('least')],
  functions: {
    'math.@max': extremes('max', 1),
    'math.@min': extremes('min', -1),
    'math.ceil': double('ceil', Math.ceil),
    'math.floor': double('floor', Math.floor),
    'math.round': double('round', round),
    'math.trunc': double('trunc', Math.trunc),
    'math.sqrt': [
      overload('math_sqrt_double', [DOUBLE], DOUBLE, Math.sqrt),
      overload('math_sqrt_int', [INT], DOUBLE, (i: bigint) => Math.sqrt(Number(i))),
      overload('math_sqrt_uint', [UINT], DOUBLE, (u: Uint) => Math.sqrt(Number(u.value))),
    ],
    'math.isInf': test('isInf', (d) => !Number.isNaN(d) && !Number.isFinite(d)),
    'math.isNaN': test('isNaN', Number.isNaN),
    'math.isFinite': test('isFinite', Number.isFinite),
    'math.abs': [
      overload('math_abs_int', [INT], INT, (i: bigint) => checkedInt(i < 0n ? -i : i)),
      overload('math_abs_uint', [UINT], UINT, (u: Uint) => u),
      overload('math_abs_double', [DOUBLE], DOUBLE, Math.abs),
    ],
    'math.sign': [
      overload('math_sign_int', [INT], INT, (i: bigint) => (i > 0n ? 1n : i < 0n ? -1n : 0n)),
      overload('math_sign_uint', [UINT], UINT, (u: Uint) => new Uint(u.value > 0n ? 1n : 0n)),
      overload('math_sign_double', [DOUBLE], DOUBLE, Math.sign),
    ],
    'math.bitAnd': bits('bitAnd', (a, b) => a & b),
    'math.bitOr': bits('bitOr', (a, b) => a | b),
    'math.bitXor': bits('bitXor', (a, b) => a ^ b),
    'math.bitNot': [
      overload('math_bitNot_int', [INT], INT, (a: bigint) => ~a),
      overload('math_bitNot_uint', [UINT], UINT, (a: Uint) => new Uint(BigInt.asUintN(64, ~a.value))),
    ],
    'math.bitShiftLeft': shift('bitShiftLeft', (v, n) => v << n),
    'math.bitShiftRight': shift('bitShiftRight', (v, n) => v >> n),
  },
}

import { ACCUMULATOR, bool, call, type Expr, type Fold, ident, int, list, type Offset } from './ast.ts'

/** A call that is rewritten before it is checked. */
export interface Macro {
  readonly name: string
  readonly member: boolean
  /** The number of arguments; undefined means any number. */
  readonly args: number | undefined
  /** The expansion; undefined leaves the call unchanged. */
  readonly expand: (call: MacroCall) => Expr | undefined
}

export interface MacroCall {
  readonly at: Offset
  /** The target of a member macro. */
  readonly target: Expr
  readonly args: readonly Expr[]
  readonly fail: (at: Offset, message: string) => never
}

const accu = (at: Offset) => ident(at, ACCUMULATOR)

const NO_NAME = 'argument must be a simple name'
const NO_IDENTIFIER = 'argument is not an identifier'

/** The simple name of a variable that a macro declares. */
function variable({ args, fail }: MacroCall, i: number, fault = NO_NAME): string {
  const arg = args[i]
  if (arg?.kind !== 'ident' || arg.name.startsWith('.')) return fail(arg?.at ?? 0, fault)
  if (arg.name === ACCUMULATOR || arg.name === '__result__') return fail(arg.at, 'iteration variable overwrites accumulator variable')
  return arg.name
}

interface FoldParts {
  readonly init: Expr
  readonly condition?: Expr
  readonly step: Expr
  readonly result?: Expr
}

function fold(m: MacroCall, iterVar: string, iterVar2: string | undefined, parts: FoldParts): Expr {
  return {
    kind: 'fold',
    at: m.at,
    range: m.target,
    iterVar,
    ...(iterVar2 === undefined ? {} : { iterVar2 }),
    accuVar: ACCUMULATOR,
    init: parts.init,
    condition: parts.condition ?? bool(m.at, true),
    step: parts.step,
    result: parts.result ?? accu(m.at),
  }
}

/** `all` and similar macros over one or two variables; the argument after the variables is the predicate. */
function quantifier(name: string, vars: 1 | 2, parts: (m: MacroCall, test: Expr) => FoldParts): Macro {
  return {
    name,
    member: true,
    args: vars + 1,
    expand(m) {
      const first = variable(m, 0)
      const second = vars === 2 ? variable(m, 1) : undefined
      if (second !== undefined && first === second) m.fail(m.args[1]?.at ?? 0, `duplicate variable name: ${second}`)
      return fold(m, first, second, parts(m, m.args[vars] ?? bool(m.at, false)))
    },
  }
}

const all = (m: MacroCall, test: Expr): FoldParts => ({
  init: bool(m.at, true),
  condition: call(m.at, '@not_strictly_false', accu(m.at)),
  step: call(m.at, '_&&_', accu(m.at), test),
})

const exists = (m: MacroCall, test: Expr): FoldParts => ({
  init: bool(m.at, false),
  condition: call(m.at, '@not_strictly_false', call(m.at, '!_', accu(m.at))),
  step: call(m.at, '_||_', accu(m.at), test),
})

const existsOne = (m: MacroCall, test: Expr): FoldParts => ({
  init: int(m.at, 0n),
  step: call(m.at, '_?_:_', test, call(m.at, '_+_', accu(m.at), int(m.at, 1n)), accu(m.at)),
  result: call(m.at, '_==_', accu(m.at), int(m.at, 1n)),
})

const append = (at: Offset, value: Expr) => call(at, '_+_', accu(at), list(at, value))

const HAS: Macro = {
  name: 'has',
  member: false,
  args: 1,
  expand({ at, args, fail }) {
    const arg = args[0]
    if (arg?.kind === 'select' && !arg.test) return { ...arg, at, test: true }
    return fail(arg?.at ?? at, 'invalid argument to has() macro')
  },
}

export const MAP: Macro = {
  name: 'map',
  member: true,
  args: 2,
  expand(m) {
    const name = variable(m, 0, NO_IDENTIFIER)
    return fold(m, name, undefined, { init: list(m.at), step: append(m.at, m.args[1] ?? bool(m.at, true)) })
  },
}
const MAP_IF: Macro = {
  name: 'map',
  member: true,
  args: 3,
  expand(m) {
    const [, test = bool(m.at, true), transform = bool(m.at, true)] = m.args
    return fold(m, variable(m, 0, NO_IDENTIFIER), undefined, {
      init: list(m.at),
      step: call(m.at, '_?_:_', test, append(m.at, transform), accu(m.at)),
    })
  },
}
const FILTER: Macro = {
  name: 'filter',
  member: true,
  args: 2,
  expand(m) {
    const name = variable(m, 0, NO_IDENTIFIER)
    const test = m.args[1] ?? bool(m.at, true)
    return fold(m, name, undefined, {
      init: list(m.at),
      step: call(m.at, '_?_:_', test, append(m.at, ident(m.args[0]?.at ?? m.at, name)), accu(m.at)),
    })
  },
}

/** The macros of the language itself. */
export const STANDARD_MACROS: readonly Macro[] = [
  HAS,
  quantifier('all', 1, all),
  quantifier('exists', 1, exists),
  quantifier('exists_one', 1, existsOne),
  MAP,
  MAP_IF,
  FILTER,
]

/** `transformList`, `transformMap`, `transformMapEntry`: with an optional test before the transformation. */
function transform(name: string, init: (at: Offset) => Expr, step: (at: Offset, key: string, value: Expr) => Expr): Macro[] {
  return [3, 4].map((args) => ({
    name,
    member: true,
    args,
    expand(m: MacroCall) {
      const first = variable(m, 0)
      const second = variable(m, 1)
      if (first === second) m.fail(m.args[1]?.at ?? 0, `duplicate variable name: ${second}`)
      const value = m.args[args - 1] ?? bool(m.at, false)
      const next = step(m.at, first, value)
      const test = args === 4 ? m.args[2] : undefined
      return fold(m, first, second, { init: init(m.at), step: test === undefined ? next : call(m.at, '_?_:_', test, next, accu(m.at)) })
    },
  }))
}

const emptyMap = (at: Offset): Expr => ({ kind: 'map', at, entries: [] })

/** The two-variable comprehensions of cel-go's `ext.TwoVarComprehensions`. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  quantifier('all', 2, all),
  quantifier('exists', 2, exists),
  quantifier('exists_one', 2, existsOne),
  quantifier('existsOne', 2, existsOne),
  ...transform(
    'transformList',
    (at) => list(at),
    (at, _key, value) => append(at, value),
  ),
  ...transform('transformMap', emptyMap, (at, key, value) => call(at, '@map_insert', accu(at), ident(at, key), value)),
  ...transform('transformMapEntry', emptyMap, (at, _key, value) => call(at, '@map_insert', accu(at), value)),
]

/** Binds a name to a value, by a loop without a turn. */
export const binding = (at: Offset, name: string, value: Expr, body: Expr): Fold => ({
  kind: 'fold',
  at,
  range: list(at),
  iterVar: '#unused',
  accuVar: name,
  init: value,
  condition: bool(at, false),
  step: ident(at, name),
  result: body,
})

/** True for what `binding` makes. */
export const isBinding = (e: Fold): boolean => e.range.kind === 'list' && e.range.elements.length === 0 && e.accuVar !== ACCUMULATOR

/** `a.?b.optMap(x, f(x))` and `optFlatMap`. */
export const OPTIONAL_MACROS: readonly Macro[] = (['optMap', 'optFlatMap'] as const).map((name) => ({
  name,
  member: true,
  args: 2,
  expand(m) {
    const it = variable(m, 0, `${name}() variable name must be a simple identifier`)
    const body = m.args[1] ?? bool(m.at, false)
    const value: Expr = { kind: 'call', at: m.at, name: 'value', target: m.target, args: [] }
    const bound = binding(m.at, it, value, body)
    const present: Expr = { kind: 'call', at: m.at, name: 'hasValue', target: m.target, args: [] }
    return call(m.at, '_?_:_', present, name === 'optMap' ? call(m.at, 'optional.of', bound) : bound, call(m.at, 'optional.none'))
  },
}))

/** `cel.bind(name, value, body)` */
export const BIND_MACRO: Macro = {
  name: 'bind',
  member: true,
  args: 3,
  expand(m) {
    if (m.target.kind !== 'ident' || m.target.name !== 'cel') return undefined
    const name = variable(m, 0)
    const [, value = bool(m.at, false), body = bool(m.at, false)] = m.args
    return binding(m.at, name, value, body)
  },
}

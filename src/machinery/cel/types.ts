/** The types of CEL, as the checker uses them. */
export type CelType =
  | { readonly kind: 'null' | 'timestamp' | 'duration' | 'dyn' | 'error' }
  | ScalarType
  /** `google.protobuf.Any`: like `dyn`, but macros reject it (`dyn(x)` converts it). */
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** A structure with named fields; `field` returns their types. */
  | ObjectType
  | { readonly kind: 'type'; readonly of?: CelType }
  /** A type with a name and no fields: `kubernetes.URL`, `optional_type(T)`. */
  | OpaqueType
  /** A parameter of an overload, or a type that is not yet known. */
  | { readonly kind: 'param'; readonly name: string }

export interface ScalarType {
  readonly kind: 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes'
  /** The type of a wrapper message (`google.protobuf.Int64Value`), which can be null. */
  readonly nullable?: true
}

export interface ObjectType {
  readonly kind: 'object'
  readonly name: string
  /** The type of a field; undefined if it does not exist. */
  readonly field: (name: string) => CelType | undefined
}

export interface OpaqueType {
  readonly kind: 'opaque'
  readonly name: string
  readonly params: readonly CelType[]
  /** It is declared as a structure, whose fields no type provider of cel-go knows. */
  readonly structure?: true
}

export const NULL: CelType = { kind: 'null' }
export const BOOL: ScalarType = { kind: 'bool' }
export const INT: ScalarType = { kind: 'int' }
export const UINT: ScalarType = { kind: 'uint' }
export const DOUBLE: ScalarType = { kind: 'double' }
export const STRING: ScalarType = { kind: 'string' }
export const BYTES: ScalarType = { kind: 'bytes' }
export const TIMESTAMP: CelType = { kind: 'timestamp' }
export const DURATION: CelType = { kind: 'duration' }
export const DYN: CelType = { kind: 'dyn' }
export const ANY: CelType = { kind: 'any' }
export const ERROR: CelType = { kind: 'error' }
export const TYPE: CelType = { kind: 'type' }
export const listOf = (element: CelType): CelType => ({ kind: 'list', element })
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value })
export const opaque = (name: string, ...params: CelType[]): OpaqueType => ({ kind: 'opaque', name, params })
/** A type of Kubernetes' libraries that is declared as a structure without fields. */
export const structure = (name: string): OpaqueType => ({ kind: 'opaque', name, params: [], structure: true })
export const optionalOf = (type: CelType): CelType => opaque('optional_type', type)
export const param = (name: string): CelType => ({ kind: 'param', name })
export const typeOf = (of: CelType): CelType => ({ kind: 'type', of })

type Names = Readonly<Partial<Record<CelType['kind'], string>>>

const DECLARED: Names = {
  null: 'null_type',
  any: 'google.protobuf.Any',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  error: '!error!',
}
const IN_FAULTS: Names = { error: '!error!' }

/** A type as it is declared: `google.protobuf.Timestamp`. */
export const showType = (type: CelType): string => show(type, DECLARED)

/** A type as cel-go names it where it finds fault with an expression: `timestamp`. */
export const showTypeInFault = (type: CelType): string => show(type, IN_FAULTS)

function show(type: CelType, names: Names): string {
  switch (type.kind) {
    case 'list':
      return `list(${show(type.element, names)})`
    case 'map':
      return `map(${show(type.key, names)}, ${show(type.value, names)})`
    case 'object':
      return type.name
    case 'type':
      return type.of === undefined ? 'type' : `type(${show(type.of, names)})`
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map((p) => show(p, names)).join(', ')})`
    case 'param':
      return type.name
    default:
      return 'nullable' in type ? `wrapper(${type.kind})` : (names[type.kind] ?? type.kind)
  }
}

/** Bindings of type parameters, made while overloads are matched. */
export interface Bindings {
  get(name: string): CelType | undefined
  set(name: string, type: CelType): unknown
}

/** Bindings that may still fail, over others. They are not copied: an expression of thousands of calls has thousands of them. */
export class TrialBindings implements Bindings {
  readonly #under: Bindings
  readonly #own = new Map<string, CelType>()

  constructor(under: Bindings) {
    this.#under = under
  }

  get(name: string): CelType | undefined {
    return this.#own.get(name) ?? this.#under.get(name)
  }

  set(name: string, type: CelType): void {
    this.#own.set(name, type)
  }

  /** Adds them to the others. */
  keep(): void {
    for (const [name, type] of this.#own) this.#under.set(name, type)
  }
}

const isAny = (t: CelType) => t.kind === 'dyn' || t.kind === 'any' || t.kind === 'param'
const isDynamic = (t: CelType) => t.kind === 'dyn' || t.kind === 'any' || t.kind === 'error'

/** The type with bound parameters replaced; unbound ones become `dyn` if `final`. */
export function substitute(bindings: Bindings, type: CelType, final: boolean): CelType {
  switch (type.kind) {
    case 'param': {
      const bound = bindings.get(type.name)
      if (bound !== undefined) return substitute(bindings, bound, final)
      return final ? DYN : type
    }
    case 'list':
      return listOf(substitute(bindings, type.element, final))
    case 'map':
      return mapOf(substitute(bindings, type.key, final), substitute(bindings, type.value, final))
    case 'opaque':
      return type.params.length === 0 ? type : opaque(type.name, ...type.params.map((p) => substitute(bindings, p, final)))
    case 'type':
      return type.of === undefined ? type : typeOf(substitute(bindings, type.of, final))
    default:
      return type
  }
}

/**
 * True if a value of type `from` can be used as `to`; binds parameters on the way, to the more general type of all that they stand for. A
 * failure may leave some bindings: pass a copy.
 */
export function assignable(bindings: Bindings, from: CelType, to: CelType): boolean {
  const a = deref(bindings, from)
  const b = deref(bindings, to)
  if (a === b) return true
  if (!fits(bindings, a, b)) return false
  generalize(bindings, to, a)
  generalize(bindings, from, b)
  return true
}

/** Binds a parameter that is bound to the other type, if that is more general. */
function generalize(bindings: Bindings, type: CelType, other: CelType): void {
  for (let t = type; t.kind === 'param'; ) {
    const bound = bindings.get(t.name)
    if (bound === undefined) return
    if (bound.kind !== 'param' && other.kind !== 'param' && lessSpecific(other, bound) && !occurs(bindings, t.name, other))
      bindings.set(t.name, other)
    t = bound
  }
}

function fits(bindings: Bindings, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') return bind(bindings, b.name, a)
  if (a.kind === 'param') return bind(bindings, a.name, b)
  if (isDynamic(a) || isDynamic(b)) return true
  if (a.kind === 'null') return b.kind === 'null' || canBeNull(b)
  if (b.kind === 'null') return canBeNull(a)
  if (a.kind === 'list' && b.kind === 'list') return assignable(bindings, a.element, b.element)
  if (a.kind === 'map' && b.kind === 'map') return assignable(bindings, a.key, b.key) && assignable(bindings, a.value, b.value)
  if (a.kind === 'object' && b.kind === 'object') return a.name === b.name
  if (a.kind === 'type' && b.kind === 'type') return true
  if (a.kind === 'opaque' && b.kind === 'opaque') {
    return a.name === b.name && a.params.length === b.params.length && a.params.every((p, i) => assignable(bindings, p, b.params[i] ?? DYN))
  }
  return a.kind === b.kind && a.kind !== 'list' && a.kind !== 'map' && a.kind !== 'object' && a.kind !== 'opaque'
}

const canBeNull = (t: CelType): boolean => ['object', 'timestamp', 'duration', 'opaque'].includes(t.kind) || 'nullable' in t

function deref(bindings: Bindings, type: CelType): CelType {
  let t = type
  while (t.kind === 'param') {
    const bound = bindings.get(t.name)
    if (bound === undefined) return t
    t = bound
  }
  return t
}

function bind(bindings: Bindings, name: string, type: CelType): boolean {
  if (type.kind === 'param' && type.name === name) return true
  if (occurs(bindings, name, type)) return false
  bindings.set(name, type)
  return true
}

function occurs(bindings: Bindings, name: string, type: CelType): boolean {
  const t = deref(bindings, type)
  switch (t.kind) {
    case 'param':
      return t.name === name
    case 'list':
      return occurs(bindings, name, t.element)
    case 'map':
      return occurs(bindings, name, t.key) || occurs(bindings, name, t.value)
    case 'opaque':
      return t.params.some((p) => occurs(bindings, name, p))
    case 'type':
      return t.of !== undefined && occurs(bindings, name, t.of)
    default:
      return false
  }
}

/** The common type of two branches or neighbouring elements: the more general one; undefined if there is none. */
export function join(bindings: Bindings, a: CelType, b: CelType): CelType | undefined {
  const trial = new TrialBindings(bindings)
  if (!assignable(trial, a, b)) return undefined
  trial.keep()
  return lessSpecific(a, b) ? a : b
}

/** True if `a` is at most as specific as `b`. */
function lessSpecific(a: CelType, b: CelType): boolean {
  if (isAny(a)) return true
  if (isAny(b)) return false
  if (a.kind === 'null' || a.kind === 'error') return false
  if (b.kind === 'null' || b.kind === 'error') return true
  if (a.kind === 'list' && b.kind === 'list') return lessSpecific(a.element, b.element)
  if (a.kind === 'map' && b.kind === 'map') return lessSpecific(a.key, b.key) && lessSpecific(a.value, b.value)
  if (a.kind === 'opaque' && b.kind === 'opaque') return a.params.every((p, i) => lessSpecific(p, b.params[i] ?? DYN))
  return true
}

import { isObject, type JsonObject } from '../../object.ts'
import { sortElements } from './element-order.ts'
import { fieldElement } from './field-element.ts'

/**
 * A set of paths into an object, in the format in which managed fields store it (FieldsV1): keys are path elements
 * (`f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`), an empty object is a member, and `.` makes a node with children a member, too.
 * Sets are immutable; operations share what they can. The root itself is never a member.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet
}

/** A set under construction. */
export type WritableSet = { [element: string]: FieldSet }

/** A shallow copy to be changed. For large objects, copying key by key is faster than spreading. */
function copyOf(set: FieldSet): WritableSet {
  let members = 0
  for (const _ in set) if (++members > FEW) return largeCopyOf(set)
  return { ...set }
}

function largeCopyOf(set: FieldSet): WritableSet {
  const copy: WritableSet = {}
  for (const element in set) copy[element] = set[element] ?? member
  return copy
}

const FEW = 100

const member: FieldSet = Object.freeze({})
const dot = '.'

/** The empty set. */
export const emptySet: FieldSet = member
export const isEmptySet = (set: FieldSet): boolean => {
  for (const _ in set) return false
  return true
}

/** True if the node itself is a member: it has no children, or a `.`. */
export const isMember = (node: FieldSet): boolean => node[dot] !== undefined || isEmptySet(node)

/** A step of a path: an element as in sets, or the bare name of a field. */
export type PathPart = { readonly element: string } | string

/**
 * Builds a set along a walk through an object: `add` and `graft` take the path of the current position, `leave` how much of it stays valid.
 * The nodes of the path are remembered, so that each step costs one look-up, however long the path or large the set. The result is `set`.
 */
export class FieldSetBuilder {
  readonly #root: WritableSet = {}
  /** The nodes of the current path, from the root; all of them have children, or get them at once. */
  readonly #nodes: WritableSet[] = [this.#root]
  /** Nodes that this builder created, and may change. */
  readonly #own = new WeakSet<FieldSet>()
  #empty = true

  get isEmpty(): boolean {
    return this.#empty
  }

  get set(): FieldSet {
    return this.#root
  }

  /** Returns to an ancestor: only `depth` parts of the path stay valid. */
  leave(depth: number): void {
    if (this.#nodes.length > depth + 1) this.#nodes.length = depth + 1
  }

  /** Adds the current position. The root cannot be added. */
  add(path: readonly PathPart[]): void {
    this.graft(path, member)
  }

  /** Adds the current position with everything in `below`. */
  graft(path: readonly PathPart[], below: FieldSet): void {
    const last = path.at(-1)
    if (last === undefined) return
    this.#empty = false
    const parent = this.#node(path, path.length - 1)
    const element = elementOf(last)
    const found = parent[element]
    if (found === undefined) parent[element] = below
    else if (this.#own.has(found) && below === member) (found as WritableSet)[dot] = member
    else {
      parent[element] = unionNodes(found, below, true)
      this.leave(path.length - 1)
    }
  }

  /** Adds one path of elements, from the root. */
  insert(path: readonly string[]): void {
    this.leave(0)
    this.add(path.map((element) => ({ element })))
    this.leave(0)
  }

  /** The node of the first `depth` parts, created if necessary. */
  #node(path: readonly PathPart[], depth: number): WritableSet {
    for (let i = this.#nodes.length - 1; i < depth; i++) {
      const parent = this.#nodes[i] ?? this.#root
      const element = elementOf(path[i] ?? '')
      const found = parent[element]
      let node: WritableSet
      if (found !== undefined && this.#own.has(found)) node = found as WritableSet
      else {
        // A shared node is copied before its first change; an empty one was a member.
        node = found === undefined ? {} : isEmptySet(found) ? { [dot]: member } : { ...found }
        this.#own.add(node)
        parent[element] = node
      }
      this.#nodes.push(node)
    }
    return this.#nodes[depth] ?? this.#root
  }
}

const elementOf = (part: PathPart): string => (typeof part === 'string' ? fieldElement(part) : part.element)

/** The set of the given paths, each a list of field names. */
export function setOfFields(paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.insert(path.map((name) => `f:${name}`))
  return builder.set
}

/** The union of two sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  if (isEmptySet(a)) return b
  return unionNodes(a, b, false)
}

function unionNodes(a: FieldSet, b: FieldSet, asMember: boolean): FieldSet {
  let result: WritableSet | undefined
  for (const element in b) {
    const right = b[element]
    if (right === undefined || element === dot) continue
    const left = a[element]
    const merged = left === undefined ? right : left === right ? left : unionNodes(left, right, isMember(left) || isMember(right))
    if (merged !== left) {
      result ??= copyOf(a)
      result[element] = merged
    }
  }
  const children = result ?? a
  if (!asMember || isEmptySet(children) || children[dot] !== undefined) return children
  return { ...children, [dot]: member }
}

/** The union of many sets, merged pairwise: many small sets cost no more than few large ones. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  let left = [...sets]
  while (left.length > 1) {
    const joined: FieldSet[] = []
    for (let i = 0; i < left.length; i += 2) joined.push(union(left[i] ?? emptySet, left[i + 1] ?? emptySet))
    left = joined
  }
  return left[0] ?? emptySet
}

/** The members of `a` that are not in `b`; children of removed members stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a
  return withoutNode(a, b, false, false) ?? emptySet
}

/** Like `difference`, but removed members take their children along. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a
  return withoutNode(a, b, false, true) ?? emptySet
}

function withoutNode(a: FieldSet, b: FieldSet, asMember: boolean, recursive: boolean): FieldSet | undefined {
  let result: WritableSet | undefined
  for (const element in b) {
    const left = a[element]
    const right = b[element]
    if (left === undefined || right === undefined || element === dot) continue
    const gone = isMember(right)
    const rest = recursive && gone ? undefined : withoutNode(left, right, isMember(left) && !gone, recursive)
    if (rest === left) continue
    result ??= copyOf(a)
    if (rest === undefined) delete result[element]
    else result[element] = rest
  }
  return normal(result ?? a, a, asMember)
}

/** Normalizes the membership mark; undefined if nothing is left. */
function normal(children: FieldSet, before: FieldSet, asMember: boolean): FieldSet | undefined {
  let hasChild = false
  for (const element in children)
    if (element !== dot) {
      hasChild = true
      break
    }
  if (!hasChild) return asMember ? (isEmptySet(before) ? before : member) : undefined
  return withMark(children, asMember)
}

/** A node with children, with or without the membership mark. */
function withMark(children: FieldSet, asMember: boolean): FieldSet {
  if (asMember === (children[dot] !== undefined)) return children
  const { [dot]: _, ...rest } = children
  return asMember ? { [dot]: member, ...rest } : rest
}

/** The intersection of two sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectNodes(a, b, false) ?? emptySet
}

function intersectNodes(a: FieldSet, b: FieldSet, asMember: boolean): FieldSet | undefined {
  let result: WritableSet | undefined
  for (const element in b) {
    const left = a[element]
    const right = b[element]
    if (left === undefined || right === undefined || element === dot) continue
    // Look in the right one first: it may be small where the left one is large.
    const both = intersectNodes(left, right, isMember(right) && isMember(left))
    if (both === undefined) continue
    result ??= asMember ? { [dot]: member } : {}
    result[element] = both
  }
  return result ?? (asMember ? member : undefined)
}

/** True if everything in `b` is in `a`. */
export function contains(a: FieldSet, b: FieldSet): boolean {
  for (const element in b) {
    if (element === dot) continue
    const left = a[element]
    const right = b[element]
    if (right === undefined) continue
    if (left === undefined || (isMember(right) && !isMember(left)) || !contains(left, right)) return false
  }
  return true
}

/** True if a path is in the set. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set
  for (const element of path) {
    at = at[element]
    if (at === undefined) return false
  }
  return path.length > 0 && isMember(at)
}

/** All paths in Kubernetes' order: the members of a node first, then the paths below it. */
export function* paths(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const elements = sortElements(Object.keys(set).filter((element) => element !== dot))
  for (const element of elements) if (isMember(set[element] ?? member)) yield [...prefix, element]
  for (const element of elements) yield* paths(set[element] ?? member, [...prefix, element])
}

/** The number of paths. */
export function countPaths(set: FieldSet): number {
  let count = 0
  for (const element in set) {
    const below = set[element]
    if (below === undefined || element === dot) continue
    count += (isMember(below) ? 1 : 0) + countPaths(below)
  }
  return count
}

/**
 * Decodes a set from a client and normalizes it.
 * @throws {Error} for invalid FieldsV1
 */
export function readFieldSet(fields: JsonObject): FieldSet {
  return readNode(fields, false) ?? emptySet
}

/** The normalized node; the node itself if it is normalized already. */
function readNode(fields: JsonObject, asMember: boolean): FieldSet | undefined {
  let result: WritableSet | undefined
  let selfMember = asMember
  let hasChild = false
  for (const element in fields) {
    const value = fields[element]
    if (!isObject(value)) throw new Error(`expected a map at ${element}`)
    const below = value as FieldSet
    let child: FieldSet | undefined
    if (element === dot) {
      selfMember = true
      child = isEmptySet(below) ? below : member
    } else if (isKnownElement(element)) {
      child = isEmptySet(below) ? below : readNode(value, false)
      if (child !== undefined) hasChild = true
    }
    if (child === below) continue
    result ??= copyOf(fields as FieldSet)
    if (child === undefined) delete result[element]
    else result[element] = child
  }
  const children = result ?? (fields as FieldSet)
  return hasChild ? withMark(children, selfMember) : normal(children, children, selfMember)
}

const COLON = 0x3a
const LETTER_F = 0x66

const isBeyondFloat = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value)

/** False for unknown kinds of elements, which are skipped. */
function isKnownElement(element: string): boolean {
  if (element.charCodeAt(1) === COLON && element.charCodeAt(0) === LETTER_F) return true
  const kind = element.slice(0, 2)
  const rest = element.slice(2)
  if (element.charAt(1) !== ':') throw new Error(`missing colon: ${element}`)
  if (kind === 'i:' && !/^[0-9]+$/.test(rest)) throw new Error(`unrecognized path element: ${element}`)
  if (kind === 'v:' || kind === 'k:') {
    const value: unknown = JSON.parse(rest)
    if (kind === 'k:' && !isObject(value)) throw new Error(`unrecognized path element: ${element}`)
    if ((isObject(value) ? Object.values(value) : [value]).some(isBeyondFloat)) throw new Error(`number beyond float64: ${element}`)
  }
  return 'fivk'.includes(element.charAt(0))
}

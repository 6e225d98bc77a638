import { giveTurn } from '../../base/turns.ts'
import { equalJson } from '../equal.ts'
import { cloneJson, isObject, type Json, type JsonObject, setOwn } from '../object.ts'

/** One decoded operation of an RFC 6902 patch. */
export interface JsonPatchOperation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  /** Undefined if absent; this differs from null only for `test`. */
  readonly value: Json | undefined
}

/** Why a patch cannot be applied. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  /**
   * `decode`: the patch is malformed; `apply`: it does not fit the document; `test-failed`: a `test` operation found another value;
   * `too-large`: its copies would grow without bound.
   */
  readonly code: 'decode' | 'apply' | 'test-failed' | 'too-large'

  constructor(code: PatchError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Most bytes by which all copies of one patch may enlarge a document. */
const maxCopyBytes = 3 * 1024 * 1024

/** The Go types that a patch is decoded as; errors name them. */
interface GoTypes {
  readonly patch: string
  readonly operation: string
}

const BODY_TYPES: GoTypes = { patch: '[]handlers.jsonPatchOp', operation: 'handlers.jsonPatchOp' }

/** Those of patches that are no bodies of requests. */
export const LIBRARY_TYPES: GoTypes = { patch: 'jsonpatch.Patch', operation: 'jsonpatch.Operation' }

/**
 * Validates a decoded patch; null is the empty patch.
 * @throws {PatchError} `decode`, in the words of Go's decoder
 */
export function decodeJsonPatch(patch: Json, types = BODY_TYPES): JsonPatchOperation[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw new PatchError('decode', `json: cannot unmarshal ${goKind(patch)} into Go value of type ${types.patch}`)
  return patch.map((step) => {
    if (step === null) return { op: undefined, path: undefined, from: undefined, value: undefined }
    if (!isObject(step)) throw new PatchError('decode', `json: cannot unmarshal ${goKind(step)} into Go value of type ${types.operation}`)
    return {
      op: text(step, 'op'),
      path: text(step, 'path'),
      from: text(step, 'from'),
      value: Object.hasOwn(step, 'value') ? step.value : undefined,
    }
  })
}

function text(step: JsonObject, field: string): string | undefined {
  const value = Object.hasOwn(step, field) ? step[field] : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string')
    throw new PatchError('decode', `json: cannot unmarshal ${goKind(value)} into Go struct field jsonPatchOp.${field} of type string`)
  return value
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'number'
  return value === null ? 'null' : typeof value
}

/**
 * Applies a patch and returns the new document, which shares unchanged parts with the old one.
 * Beyond RFC 6902, as in Kubernetes: `replace` of a missing member adds it, negative indices count from the end, a copy of a missing member
 * is null.
 * @throws {PatchError}
 */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  const draft = new Draft(document)
  for (const operation of operations) applyOne(draft, operation)
  return draft.root
}

/** Work in one turn of the event loop, in values that are moved, copied or compared: some 10 ms. */
const WORK_PER_TURN = 200_000

/**
 * Applies a patch, yielding between operations: one may move a large list, and there may be thousands. The containers of the result that
 * its paths led into are added to `opened`.
 * @throws {PatchError}
 */
export async function applyJsonPatchInTurns(
  document: Json,
  operations: readonly JsonPatchOperation[],
  opened = new WeakSet<object>(),
): Promise<Json> {
  const draft = new Draft(document, opened)
  for (const operation of operations) {
    applyOne(draft, operation)
    draft.work += WORK_OF_STEP
    if (draft.work < WORK_PER_TURN) continue
    draft.work = 0
    await giveTurn()
  }
  return draft.root
}

const WORK_OF_STEP = 20
/** Factor by which moving items of a list is faster than copying them one by one. */
const MOVED_AT_ONCE = 8

function applyOne(draft: Draft, operation: JsonPatchOperation): void {
  const { op } = operation
  const kinds = ['add', 'remove', 'replace', 'move', 'copy', 'test']
  if (op === undefined || !kinds.includes(op)) throw new PatchError('apply', `Unexpected kind: ${op ?? 'unknown'}`)
  if (op === 'move' || op === 'copy') {
    moveOrCopy(draft, op, operation)
    return
  }
  const path = needed(operation.path, `${op} operation failed to decode path: missing value`)
  switch (op) {
    case 'add':
      draft.add(op, path, operation.value ?? null)
      break
    case 'remove':
      draft.remove(op, path)
      break
    case 'replace':
      draft.replace(path, operation.value ?? null)
      break
    default:
      draft.test(path, operation.value)
  }
}

function moveOrCopy(draft: Draft, op: 'move' | 'copy', operation: JsonPatchOperation): void {
  const from = needed(operation.from, `${op} operation failed to decode from: operation, missing from field: missing value`)
  const value = draft.read(op, from, 'from path') ?? null
  if (op === 'move') draft.remove(op, from)
  const path = needed(operation.path, `${op} operation failed to decode path: operation missing path field: missing value`)
  if (op === 'move') draft.add(op, path, value)
  else draft.copy(from, path)
}

function needed(value: string | undefined, why: string): string {
  if (value === undefined) throw new PatchError('apply', why)
  return value
}

/** What a path is to its operation, in the words of messages. */
type PathRole = 'path' | 'from path' | 'destination path'

interface Target {
  readonly role: PathRole
  readonly toWrite: boolean
}

function missing(op: string, role: PathRole, path: string): string {
  if (op === 'test') return `is missing path: ${path}`
  const quoted = op === 'add' || op === 'remove'
  return `doc is missing ${role}: ${quoted ? `"${path}"` : path}`
}

/** A document whose containers are copied at their first change. */
class Draft {
  root: Json
  /** Number of values that were moved, copied or compared; the caller resets it when it yields. */
  work = 0
  readonly #own = new WeakSet<object>()
  readonly #opened: WeakSet<object>
  #copied = 0

  constructor(root: Json, opened = new WeakSet<object>()) {
    this.root = root
    this.#opened = opened
  }

  read(op: string, path: string, role: PathRole = 'path'): Json | undefined {
    const { parent, key } = this.#find(op, path, { role, toWrite: false })
    // A move names the member, not its path.
    const place = op === 'copy' ? `from: '${path}'` : `path: '${op === 'move' ? key : path}'`
    if (Array.isArray(parent)) return parent[indexIn(parent.length, key, `error in ${op} for ${place}`)]
    return Object.hasOwn(parent, key) ? parent[key] : undefined
  }

  add(op: string, path: string, value: Json): void {
    const { parent, key } = this.#find(op, path, { role: op === 'add' ? 'path' : 'destination path', toWrite: true })
    if (!Array.isArray(parent)) setOwn(parent, key, value)
    else if (key === '-') parent.push(value)
    else {
      this.work += parent.length / MOVED_AT_ONCE
      const context = op === 'copy' ? 'error while adding value during copy' : `error in ${op} for path: '${path}'`
      parent.splice(indexIn(parent.length + 1, key, context, `value was not a proper array index: '${key}': `), 0, value)
    }
  }

  remove(op: string, path: string): void {
    const { parent, key } = this.#find(op, path, { role: op === 'remove' ? 'path' : 'from path', toWrite: true })
    const context = `error in ${op} for path: '${op === 'move' ? key : path}'`
    if (Array.isArray(parent)) {
      this.work += parent.length / MOVED_AT_ONCE
      parent.splice(indexIn(parent.length, key, context), 1)
    } else if (Object.hasOwn(parent, key)) delete parent[key]
    else throw new PatchError('apply', `${context}: Unable to remove nonexistent key: ${key}: missing value`)
  }

  replace(path: string, value: Json): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null)
        throw new PatchError('apply', 'replace operation value must be object or array: %!w(<nil>)')
      this.root = value
      return
    }
    const { parent, key } = this.#find('replace', path, { role: 'path', toWrite: true })
    if (!Array.isArray(parent)) {
      setOwn(parent, key, value)
      return
    }
    const place = placeIn(parent.length, key)
    if ('fault' in place) throw new PatchError('apply', `replace operation does not apply: doc is missing key: ${path}: missing value`)
    parent[place.index] = value
  }

  /** A missing member is null, and so is a missing operand. */
  test(path: string, wanted: Json | undefined): void {
    const actual = path === '' ? this.root : (this.read('test', path) ?? null)
    this.work += membersOf(actual)
    if (!equalJson(actual, wanted ?? null)) throw new PatchError('test-failed', `testing value ${path} failed: test failed`)
    this.#openAll(actual)
  }

  /** The copy is made after the path was followed, which may lead into the copied value. */
  copy(from: string, path: string): void {
    this.#find('copy', path, { role: 'destination path', toWrite: true })
    this.add('copy', path, this.#copyOf(this.read('copy', from, 'from path') ?? null))
  }

  #copyOf(value: Json): Json {
    const size = sizeOf(value)
    this.#copied += size
    this.work += size
    if (this.#copied > maxCopyBytes)
      throw new PatchError(
        'too-large',
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${maxCopyBytes}`,
      )
    const copy = cloneJson(value)
    this.#openAlike(copy, value)
    return copy
  }

  /** What is opened in a value is opened in its copy. */
  #openAlike(copy: Json, value: Json): void {
    if (typeof value !== 'object' || value === null || !this.#opened.has(value)) return
    if (typeof copy !== 'object' || copy === null) return
    this.#opened.add(copy)
    const members = Object.values(value)
    for (const [i, member] of Object.values(copy).entries()) this.#openAlike(member ?? null, members[i] ?? null)
  }

  #find(op: string, path: string, { role, toWrite }: Target): { parent: JsonObject | Json[]; key: string } {
    // The part before the first slash is ignored.
    const keys = path.split('/').slice(1).map(decodeKey)
    const last = keys.pop()
    let at: Json | undefined = last === undefined ? undefined : toWrite ? this.#owned(this.root) : this.root
    if (toWrite && at !== undefined) this.root = at
    for (const key of keys) {
      if (typeof at !== 'object' || at === null) break
      this.#opened.add(at)
      at = this.#step(at, key, toWrite)
    }
    if (last === undefined || typeof at !== 'object' || at === null)
      throw new PatchError('apply', `${op} operation does not apply: ${missing(op, role, path)}: missing value`)
    this.#opened.add(at)
    return { parent: at, key: last }
  }

  #step(at: JsonObject | Json[], key: string, toWrite: boolean): Json | undefined {
    if (Array.isArray(at)) {
      const place = placeIn(at.length, key)
      if ('fault' in place) return undefined
      const next = at[place.index]
      if (!toWrite || next === undefined) return next
      const owned = this.#owned(next)
      at[place.index] = owned
      return owned
    }
    const next = Object.hasOwn(at, key) ? at[key] : undefined
    if (!toWrite || next === undefined) return next
    const owned = this.#owned(next)
    if (owned !== next) setOwn(at, key, owned)
    return owned
  }

  #owned(value: Json): Json {
    if (typeof value !== 'object' || value === null || this.#own.has(value)) return value
    const copy = Array.isArray(value) ? [...value] : { ...value }
    this.#own.add(copy)
    this.#opened.add(copy)
    this.work += membersOf(copy)
    return copy
  }

  /** A comparison looks into everything. */
  #openAll(value: Json): void {
    if (typeof value !== 'object' || value === null) return
    this.#opened.add(value)
    for (const item of Object.values(value)) if (item !== undefined) this.#openAll(item)
  }
}

/** Where a key is in an array of that length, or why it is nowhere. */
function placeIn(length: number, key: string): { readonly index: number } | { readonly fault: 'syntax' | 'range' } {
  if (!/^[-+]?[0-9]{1,15}$/.test(key)) return { fault: 'syntax' }
  const i = Number(key)
  if (i >= length || i < -length) return { fault: 'range' }
  return { index: i < 0 ? i + length : i }
}

/** The index of a key in an array of that length. `context` begins the message of the error; `before` precedes that of the parser. */
function indexIn(length: number, key: string, context: string, before = ''): number {
  const place = placeIn(length, key)
  if (!('fault' in place)) return place.index
  const why =
    place.fault === 'syntax'
      ? `${before}strconv.Atoi: parsing "${key}": invalid syntax`
      : `Unable to access invalid index: ${Number(key)}: invalid index referenced`
  throw new PatchError('apply', `${context}: ${why}`)
}

const decodeKey = (key: string): string => (key.includes('~') ? key.replace(/~[01]/g, (m) => (m === '~1' ? '/' : '~')) : key)

const membersOf = (value: Json): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 1)

/** The approximate size of the value as JSON in bytes; never more than that. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 4
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2)
  let size = 2
  for (const [key, item] of Object.entries(value)) size += key.length + 4 + sizeOf(item ?? null)
  return size
}

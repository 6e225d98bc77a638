import { isCustom, META_ORDER } from './object-bytes.ts'

/** The byte offset at which the revision is inserted into an object. */
export interface RevisionOffset {
  /** Offset after `"metadata":{`. */
  readonly start: number
  /** Offset after the members of `metadata` that precede it. */
  readonly at: number
  /** Separators before and after the inserted text. */
  readonly before: '' | ','
  readonly behind: '' | ','
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const CLOSE = 0x7d
const BACKSLASH = 0x5c
const METADATA = Buffer.from('"metadata":{')
/** The members that Go writes before `resourceVersion`. */
const BEFORE_REVISION: ReadonlySet<string> = new Set(META_ORDER.slice(0, META_ORDER.indexOf('resourceVersion')))

/** Finds the insertion point of the revision in stored bytes. */
export function revisionOffset(value: Buffer): RevisionOffset {
  return isCustom(value)
    ? offsetBehind(value, customMetadata(value), (name) => name < 'resourceVersion')
    : offsetBehind(value, value.indexOf(METADATA) + METADATA.length, (name) => BEFORE_REVISION.has(name))
}

/** The offset behind the first members of the metadata, which begins at `start`, for which `comesBefore` holds. */
function offsetBehind(value: Buffer, start: number, comesBefore: (name: string) => boolean): RevisionOffset {
  let at = start
  while (value[at] === QUOTE) {
    const nameEnd = stringEnd(value, at)
    if (!comesBefore(value.toString('latin1', at + 1, nameEnd))) break
    const end = valueEnd(value, nameEnd + 2)
    if (value[end] !== COMMA) return { start, at: end, before: ',', behind: '' }
    at = end + 1
  }
  return { start, at, before: '', behind: value[at] === CLOSE ? '' : ',' }
}

/** The offset of the members of the metadata of a custom object: other members may come before it, and have metadata of their own. */
function customMetadata(value: Buffer): number {
  let at = 1
  for (;;) {
    const nameEnd = stringEnd(value, at)
    if (nameEnd - at === 9 && value.toString('latin1', at + 1, nameEnd) === 'metadata') return nameEnd + 3
    at = valueEnd(value, nameEnd + 2) + 1
    if (at >= value.length) throw new Error('invariant: a stored object has metadata')
  }
}

/** The offset of the quote that ends the string at `at`. */
function stringEnd(value: Uint8Array, at: number): number {
  let end = at + 1
  for (; value[end] !== QUOTE; end++) {
    if (value[end] === BACKSLASH) end++
    if (end >= value.length) return value.length
  }
  return end
}

/** The offset behind the value at `at`. */
function valueEnd(value: Uint8Array, at: number): number {
  const first = value[at]
  if (first === QUOTE) return stringEnd(value, at) + 1
  if (first === OPEN || first === OPEN_LIST) return containerEnd(value, at + 1) + 1
  let end = at
  while (end < value.length && value[end] !== COMMA && value[end] !== CLOSE) end++
  return end
}

/** The offset of the brace that closes the object or list which begins before `at`. */
export function containerEnd(value: Uint8Array, at: number): number {
  let depth = 1
  for (let i = at; i < value.length; i++) {
    const c = value[i]
    if (c === QUOTE) i = stringEnd(value, i)
    else if (c === OPEN || c === OPEN_LIST) depth++
    else if ((c === CLOSE || c === CLOSE_LIST) && --depth === 0) return i
  }
  return value.length
}

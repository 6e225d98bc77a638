import { MAGIC } from './opaque.ts'
import { BYTES, ReverseWriter } from './wire.ts'

/** The bytes before and after the items of an enveloped list that is written in parts. */
export interface ListFrame {
  readonly head: Buffer
  readonly tail: Buffer
}

/**
 * The frame of a list whose items are written one after the other, each as `listItem`. The envelope contains the length of its content, so
 * `itemsLength` (the sum of `listItemLength`) must be known first. `header` is the message of the list without items.
 */
export function listFrame(
  type: { readonly apiVersion: string; readonly kind: string },
  header: Uint8Array,
  itemsLength: number,
): ListFrame {
  const head = new ReverseWriter(header.length + type.apiVersion.length + type.kind.length + 64)
  head.raw(header)
  head.varint(header.length + itemsLength)
  head.tag(2, BYTES)
  const before = head.length
  head.string(type.kind)
  head.tag(2, BYTES)
  head.string(type.apiVersion)
  head.tag(1, BYTES)
  head.varint(head.length - before)
  head.tag(1, BYTES)
  head.raw(MAGIC)
  const tail = new ReverseWriter(16)
  tail.string('')
  tail.tag(4, BYTES)
  tail.string('')
  tail.tag(3, BYTES)
  return { head: head.finish(), tail: tail.finish() }
}

/** The bytes before an item's message: field 2, as in every list of Kubernetes, and its length. */
export function listItemHead(length: number): Buffer {
  const writer = new ReverseWriter(12)
  writer.varint(length)
  writer.tag(2, BYTES)
  return writer.finish()
}

/** The length of an item in its list. */
export const listItemLength = (length: number): number => listItemHead(length).length + length

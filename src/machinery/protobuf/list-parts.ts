import { MAGIC } from './opaque.ts'
import { BYTES, ReverseWriter } from './wire.ts'

/** The bytes before and after the items of an enveloped list that is written in parts. */
export interface ListFrame {
  readonly head: Buffer
  readonly tail: Buffer
}

interface ListType {
  readonly apiVersion: string
  readonly kind: string
}

/** The field of a list's items: 2 in every list of Kubernetes but one, in which they are before the metadata. */
export const itemsTag = ({ apiVersion }: Pick<ListType, 'apiVersion'>): 1 | 2 => (apiVersion === 'meta.k8s.io/v1beta1' ? 1 : 2)

/**
 * The frame of a list whose items are written one after the other, each as `listItem`. The envelope contains the length of its content, so
 * `itemsLength` (the sum of `listItemLength`) must be known first. `header` is the message of the list without items.
 */
export function listFrame(type: ListType, header: Uint8Array, itemsLength: number): ListFrame {
  const headerFirst = itemsTag(type) === 2
  const head = new ReverseWriter(header.length + type.apiVersion.length + type.kind.length + 64)
  if (headerFirst) head.raw(header)
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
  const tail = new ReverseWriter(header.length + 16)
  tail.string('')
  tail.tag(4, BYTES)
  tail.string('')
  tail.tag(3, BYTES)
  if (!headerFirst) tail.raw(header)
  return { head: head.finish(), tail: tail.finish() }
}

/** The bytes before an item's message: the field of items, and its length. */
export function listItemHead(length: number, tag: 1 | 2 = 2): Buffer {
  const writer = new ReverseWriter(12)
  writer.varint(length)
  writer.tag(tag, BYTES)
  return writer.finish()
}

/** The length of an item in its list. */
export const listItemLength = (length: number): number => listItemHead(length).length + length

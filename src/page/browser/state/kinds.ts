import { signal } from '@preact/signals'
import type { CollectionName } from '../../wire/object-name.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { openStream } from './connection.ts'

/** The kinds that the cluster serves. */
const kinds = signal<readonly KindEntry[]>([])

export const isServed = ({ group, resource }: CollectionName): boolean =>
  kinds.value.some((kind) => kind.group === group && kind.resource === resource)

/** Follows them as long as the page is open. */
export function followKinds(): void {
  openStream({ type: 'kinds' }, (message) => {
    if (message.type === 'kinds') kinds.value = message.kinds
  })
}

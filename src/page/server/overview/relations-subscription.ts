import type { ObjectName } from '../../wire/object-name.ts'
import type { RelatedObject, Relations } from '../../wire/overview.ts'
import type { Collection } from '../rows/collection.ts'
import type { Row } from '../rows/row.ts'
import type { ClusterIndex } from './cluster-index.ts'
import { IndexSubscription } from './index-subscription.ts'
import { summaryOfRow } from './overview-subscription.ts'

/** The most objects of a tree; a list shows more of them. */
const MAX_TREE = 200
const MAX_DEPTH = 20

interface Found {
  readonly collection: Collection
  readonly row: Row
}

/** The owners of an object, and what it and they own, as a tree. */
export class RelationsSubscription extends IndexSubscription {
  readonly everyMs = 300
  readonly #id: number
  readonly #object: ObjectName

  constructor(index: ClusterIndex, of: { readonly id: number; readonly object: ObjectName }, changed: () => void) {
    super(index, changed)
    this.#id = of.id
    this.#object = of.object
  }

  next() {
    const relations = relationsOf(this.index.collections, this.#object)
    return { type: 'relations', id: this.#id, relations: { ...relations, loading: this.index.loading > 0 } } as const
  }
}

/** The tree from the topmost owner down. */
export function relationsOf(collections: readonly Collection[], object: ObjectName): Omit<Relations, 'loading'> {
  const byUid = new Map<string, Found>()
  const children = new Map<string, Found[]>()
  let self: Found | undefined
  for (const collection of collections)
    for (const row of collection.rows.values()) {
      const found = { collection, row }
      byUid.set(row.uid, found)
      for (const owner of row.owners) childrenOf(children, owner).push(found)
      if (isNamed(found, object)) self = found
    }
  if (self === undefined) return { tree: [], unsent: 0 }
  const tree: RelatedObject[] = []
  const seen = new Set<string>()
  const visit = (found: Found, depth: number): void => {
    const { collection, row } = found
    // Owners may form a circle, or be shared.
    if (seen.has(row.uid) || depth > MAX_DEPTH) return
    seen.add(row.uid)
    if (tree.length < MAX_TREE) tree.push({ ...summaryOfRow(collection, row), depth, self: found === self })
    for (const child of (children.get(row.uid) ?? []).sort(byKindAndName)) visit(child, depth + 1)
  }
  visit(topOf(self, byUid), 0)
  // Of a very large family the object itself is shown in any case.
  if (!tree.some((related) => related.self)) tree.push({ ...summaryOfRow(self.collection, self.row), depth: 1, self: true })
  return { tree, unsent: Math.max(0, seen.size - tree.length) }
}

function childrenOf(children: Map<string, Found[]>, owner: string): Found[] {
  const known = children.get(owner)
  if (known !== undefined) return known
  const made: Found[] = []
  children.set(owner, made)
  return made
}

const isNamed = ({ collection: { deps }, row }: Found, { group, resource, namespace, name }: ObjectName) =>
  row.name === name && row.namespace === namespace && deps.kind.resource === resource && deps.kind.group === group

const byKindAndName = (a: Found, b: Found) => {
  const [left, right] = [`${a.collection.deps.kind.kind}/${a.row.name}`, `${b.collection.deps.kind.kind}/${b.row.name}`]
  return left < right ? -1 : 1
}

function topOf(self: Found, byUid: ReadonlyMap<string, Found>): Found {
  let top = self
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const owner = top.row.owners.map((uid) => byUid.get(uid)).find(Boolean)
    if (owner === undefined) return top
    top = owner
  }
  return top
}

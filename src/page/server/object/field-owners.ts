import { equalJson } from '../../../machinery/equal.ts'
import { getOwn, isObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { FieldManager } from '../../wire/object-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** A node of a manager's set of fields (FieldsV1), at the path that is being walked. `whole`: it owns all that is below. */
export interface OwnerNode {
  readonly manager: number
  readonly fields: JsonObject
  readonly whole: boolean
}

/** The managers of an object, and the roots of what they own. */
export function fieldOwners({ metadata }: KubeObject): {
  readonly managers: readonly FieldManager[]
  readonly roots: readonly OwnerNode[]
} {
  const entries = metadata.managedFields ?? []
  return {
    managers: entries.map(({ manager = '', operation = '', subresource = '', time }) => ({
      manager: shownText(manager, 200),
      operation,
      subresource,
      timeMs: Date.parse(time ?? '') || 0,
    })),
    roots: entries.map(({ fieldsV1 }, manager) => ({ manager, fields: fieldsV1 ?? {}, whole: false })),
  }
}

/** The managers that own the field itself: it is a member of their sets. */
export const ownersOf = (nodes: readonly OwnerNode[]): readonly number[] =>
  nodes.filter(({ fields, whole }) => whole || Object.hasOwn(fields, '.')).map(({ manager }) => manager)

export const stepInto = (nodes: readonly OwnerNode[], key: string): readonly OwnerNode[] =>
  step(nodes, ({ fields }) => getOwn(fields, `f:${key}`))

/** Into an item of a list: by its key (`k:{"name":"web"}`), or by its value (`v:"web"`). */
export const stepIntoItem = (nodes: readonly OwnerNode[], item: Json): readonly OwnerNode[] =>
  step(nodes, ({ fields }) => {
    const element = Object.keys(fields).find((name) => names(name, item))
    return element === undefined ? undefined : getOwn(fields, element)
  })

function step(nodes: readonly OwnerNode[], next: (node: OwnerNode) => unknown): readonly OwnerNode[] {
  const stepped: OwnerNode[] = []
  for (const node of nodes) {
    if (node.whole) {
      stepped.push(node)
      continue
    }
    const fields = next(node)
    if (isObject(fields as Json)) stepped.push({ manager: node.manager, fields: fields as JsonObject, whole: isLeaf(fields as JsonObject) })
  }
  return stepped
}

const isLeaf = (fields: JsonObject) => Object.keys(fields).length === 0

function names(element: string, item: Json): boolean {
  const sort = element.slice(0, 2)
  if (sort !== 'k:' && sort !== 'v:') return false
  const said = parsed(element.slice(2))
  if (sort === 'v:') return equalJson(said, item)
  return (
    isObject(said) && isObject(item) && Object.keys(said).every((key) => equalJson(said[key] ?? null, (getOwn(item, key) ?? null) as Json))
  )
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

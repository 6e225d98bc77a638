import type { Json, JsonObject } from '../../machinery/object.ts'
import { entriesOf, groupName } from './discovery-entries.ts'

type Groups = readonly JsonObject[]

/**
 * The discovery (`APIGroupDiscovery`) of several servers as one. What several have is shown as the first one has it, with the verbs and
 * subresources of all; what only a later one has comes behind what it follows there.
 */
export const joinGroups = (all: readonly Groups[]): Groups => all.reduce((groups, more) => joined(groups, more, GROUP))

/** A level of discovery: how entries are named, and how two of one name become one. */
interface Level {
  readonly name: (entry: JsonObject) => Json | undefined
  readonly join: (one: JsonObject, other: JsonObject) => JsonObject
}

const RESOURCE: Level = {
  name: ({ resource }) => resource,
  join: (one, other) => ({
    ...one,
    verbs: [...new Set([...textsIn(one.verbs), ...textsIn(other.verbs)])].sort(),
    ...((one.subresources ?? other.subresources) !== undefined && {
      subresources: joined(entriesOf(one.subresources), entriesOf(other.subresources), SUBRESOURCE),
    }),
  }),
}
const SUBRESOURCE: Level = { name: ({ subresource }) => subresource, join: (one) => one }
const VERSION: Level = {
  name: ({ version }) => version,
  join: (one, other) => ({ ...one, resources: joined(entriesOf(one.resources), entriesOf(other.resources), RESOURCE) }),
}
const GROUP: Level = {
  name: groupName,
  join: (one, other) => ({ ...one, versions: joined(entriesOf(one.versions), entriesOf(other.versions), VERSION) }),
}

function joined(ones: readonly JsonObject[], others: readonly JsonObject[], { name, join }: Level): JsonObject[] {
  const all = [...ones]
  let at = 0
  for (const other of others) {
    const found = all.findIndex((one) => name(one) === name(other))
    const one = all[found]
    if (one === undefined) all.splice(at++, 0, other)
    else {
      all[found] = join(one, other)
      at = found + 1
    }
  }
  return all
}

const textsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

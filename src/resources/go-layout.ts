import { Words } from './facts/words.ts'
import { readGenerated } from './generated-files.ts'
import { goFieldName } from './go-form.ts'

/** A Go type declaration: its name (`v1.PodSpec`), and its fields in order, or the type that it aliases. */
export type GoType =
  | { readonly kind: 'struct'; readonly go: string; readonly fields: readonly GoField[] }
  | { readonly kind: 'named'; readonly go: string; readonly of: string }

/** One field of a struct. */
export interface GoField {
  readonly name: string
  /** Its name in JSON; undefined for an embedded struct, whose fields are inlined. */
  readonly json: string | undefined
  /** `[]Container`, `*meta_v1.LabelSelector`: names without a package belong to the struct's own. */
  readonly type: string
}

interface PackageFacts {
  readonly package: string
  readonly named: Readonly<Record<string, string>>
  readonly structs: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const packages = new Map<string, PackageFacts | undefined>()
const types = new Map<string, GoType | undefined>()

/** A type by the package of its facts (`core_v1`) and its name; undefined if it is not in Kubernetes' API. */
export function goTypeOf(id: string, name: string): GoType | undefined {
  const key = `${id}.${name}`
  if (!types.has(key)) types.set(key, readType(id, name))
  return types.get(key)
}

function readType(id: string, name: string): GoType | undefined {
  if (!packages.has(id)) packages.set(id, readGenerated(`${id}.json`) as PackageFacts | undefined)
  const facts = packages.get(id)
  const go = `${facts?.package}.${name}`
  const named = facts?.named[name]
  if (named !== undefined) return { kind: 'named', go, of: new Words(named).head }
  const lines = facts?.structs[name]
  if (lines === undefined) return undefined
  const fields = Object.entries(lines).filter(([label]) => label !== '')
  return { kind: 'struct', go, fields: fields.map(([label, line]) => fieldOf(name, label, new Words(line).at(1))) }
}

/** Versioned pods have a field that internal ones lack. */
const versionedName = (struct: string, label: string) =>
  struct === 'PodSpec' && label === 'serviceAccount' ? 'DeprecatedServiceAccount' : goFieldName(label, struct)

function fieldOf(struct: string, label: string, type: string): GoField {
  const embedded = /^\((.*)\)$/.exec(label)?.[1]
  if (embedded !== undefined) return { name: embedded.replace(/^.*\./, ''), json: undefined, type }
  // The metadata of an object is embedded, too, but has a name in JSON.
  const name = type === 'meta_v1.ObjectMeta' ? 'ObjectMeta' : versionedName(struct, label)
  return { name, json: label, type }
}

import type { Environment, Library, ObjectConstructor } from '../environment.ts'
import { overload } from '../standard/declare.ts'
import { DYN, type ObjectType, STRING } from '../types.ts'
import { equals, type Struct, type Value } from '../values.ts'
import { structType } from './request-type.ts'

/** A structure in an expression: `JSONPatch{…}`, `Object{…}`, `Object.spec{…}`. */
export class PatchObject implements Struct {
  readonly structType: string
  readonly #fields: ReadonlyMap<string, Value>

  constructor(type: string, fields: ReadonlyMap<string, Value>) {
    this.structType = type
    this.#fields = fields
  }

  get(field: string): Value | undefined {
    return this.#fields.get(field)
  }

  names(): readonly string[] {
    return [...this.#fields.keys()]
  }

  equalsStruct = (other: Struct): boolean =>
    other.structType === this.structType &&
    other.names().length === this.#fields.size &&
    [...this.#fields].every(([name, value]) => equals(value, other.get(name) ?? null))
}

const JSON_PATCH = structType('JSONPatch', { op: STRING, from: STRING, path: STRING, value: DYN })
const PATCH: ObjectConstructor = { type: JSON_PATCH, make: (fields) => new PatchObject('JSONPatch', fields) }

/** `Object` and the types below it: an apply configuration may contain any field. */
const configurationType = (name: string): ObjectType => ({ kind: 'object', name, field: () => DYN })

const known = new Map<string, ObjectConstructor>()

/** The types of structures in mutations. */
export const patchObject: Environment['object'] = (name) => {
  if (name === 'JSONPatch') return PATCH
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  let found = known.get(name)
  if (found === undefined) {
    found = { type: configurationType(name), make: (fields) => new PatchObject(name, fields) }
    // Users choose the names, so the map is bounded.
    if (known.size < 1000) known.set(name, found)
  }
  return found
}

/** `jsonpatch.escapeKey('a/b')` */
export const JSON_PATCH_LIBRARY: Library = {
  functions: {
    'jsonpatch.escapeKey': [
      overload('jsonpatch_escapeKey', [STRING], STRING, (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')),
    ],
  },
}

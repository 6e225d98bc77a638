import type { Json, JsonObject } from '../../object.ts'
import { goPrint, goTypeName } from '../../schema/go-print.ts'
import { GoValue } from '../../schema/go-value.ts'
import { elementText } from '../field-set/path-text.ts'
import { goSyntax } from './go-syntax.ts'
import { ListElementError, listElement } from './list-element.ts'
import { concrete, deduced, type TypedNode } from './typed-node.ts'

/** Most faults in a message; paths are as long as the object is deep. */
const MOST_FAULTS = 1000

/** Validates an applied configuration against its type; each text is a fault with its path. */
export function validateTyped(node: TypedNode, value: Json): readonly string[] {
  const checked = new TypeCheck()
  checked.check(node, value)
  return checked.faults
}

/** The same of a stored object, whose lists may have duplicate items. */
export function validateStored(node: TypedNode, value: Json): readonly string[] {
  const checked = new TypeCheck({ allowsDuplicates: true })
  checked.check(node, value)
  return checked.faults
}

/** Whether a stored object fits its type. */
export const fitsType = (node: TypedNode, value: Json): boolean => validateStored(node, value).length === 0

/** All faults as one text, as Kubernetes joins them. */
export const faultsText = (faults: readonly string[]): string =>
  faults.length === 1 ? (faults[0] ?? '') : ['errors:', ...faults.map((f) => `  ${f}`)].join('\n')

/** Where a value is; its text is made only for a fault. */
interface Place {
  readonly parent: Place | undefined
  /** An element of a path, as in field sets: `f:` and a name, `k:` and keys, `v:` and a value, `i:` and an index. */
  readonly element: string
}

function placeText(place: Place | undefined): string {
  let text = ''
  for (let at = place; at !== undefined; at = at.parent) text = elementText(at.element) + text
  return text
}

class TypeCheck {
  readonly faults: string[] = []
  readonly #allowsDuplicates: boolean

  constructor({ allowsDuplicates = false }: { readonly allowsDuplicates?: boolean } = {}) {
    this.#allowsDuplicates = allowsDuplicates
  }

  /** Adds the faults of a value, until there are enough. */
  check(type: TypedNode, value: Json, place?: Place): void {
    if (value === null || this.#isFull) return
    const node = concrete(type, value)
    if (node.kind === 'scalar') {
      const wrong = scalarFault(node.scalar, value)
      if (wrong !== undefined) this.#add(place, wrong)
    } else if (node.kind === 'list') {
      if (!Array.isArray(value)) this.#add(place, `expected list, got ${shown(value)}`)
      else this.#checkItems(node, value, place)
    } else if (typeof value !== 'object' || Array.isArray(value) || value instanceof GoValue)
      this.#add(place, `expected map, got ${shown(value)}`)
    else this.#checkMembers(node, value, place)
  }

  #checkMembers(node: TypedNode, value: JsonObject, parent: Place | undefined): void {
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      const child = node.child(name)
      const member: Place = { parent, element: `f:${name}` }
      if (child === undefined) {
        this.#add(member, 'field not declared in schema')
        return
      }
      this.check(child, item, member)
    }
  }

  #checkItems(node: TypedNode, items: readonly Json[], parent: Place | undefined): void {
    const seen = new Set<string>()
    for (const [i, item] of items.entries()) {
      if (this.#isFull) return
      if (node.atomic) {
        this.check(node.items ?? deduced, item, { parent, element: `i:${i}` })
        continue
      }
      let element: string
      try {
        element = listElement(node, item)
      } catch (error) {
        if (!(error instanceof ListElementError)) throw error
        this.#add(parent, `element ${i}: ${error.message}`)
        return
      }
      if (!this.#allowsDuplicates && seen.has(element)) this.#add(parent, `duplicate entries for key ${elementText(element)}`)
      seen.add(element)
      if (node.items !== undefined) this.check(node.items, item, { parent, element })
    }
  }

  get #isFull(): boolean {
    return this.faults.length >= MOST_FAULTS
  }

  #add(place: Place | undefined, text: string): void {
    this.faults.push(place === undefined ? text : `${placeText(place)}: ${text}`)
  }
}

function scalarFault(scalar: TypedNode['scalar'], value: Json): string | undefined {
  const kind = typeof value === 'bigint' ? 'number' : typeof value
  switch (scalar) {
    case 'numeric':
      return kind === 'number' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`
    case 'string':
      return kind === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'boolean':
      return kind === 'boolean' ? undefined : `expected boolean, got ${shown(value)}`
    default:
      return kind === 'object' ? `expected any scalar, got ${shown(value)}` : undefined
  }
}

const shown = (value: Json): string => `&{${goPrint(value)}}`

import type { Json } from '../../object.ts'
import { goPrint, goTypeName } from '../../schema/go-print.ts'
import { elementText } from '../field-set/path-text.ts'
import { goSyntax } from './go-syntax.ts'
import { ListElementError, listElement } from './list-element.ts'
import { concrete, type TypedNode } from './typed-node.ts'

/** Most faults in a message; paths are as long as the object is deep. */
const MOST_FAULTS = 1000

/** Validates an applied configuration against its type; each text is a fault with its path. */
export function validateTyped(node: TypedNode, value: Json): string[] {
  const faults: string[] = []
  check(node, value, undefined, faults)
  return faults
}

/** Whether a value fits its type; lists may have duplicate items, as stored objects may. */
export function fitsType(node: TypedNode, value: Json): boolean {
  const faults: string[] = []
  check(node, value, undefined, faults)
  return faults.every((fault) => fault.includes(DUPLICATE))
}

const DUPLICATE = ': duplicate entries for key '

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

function check(type: TypedNode, value: Json, place: Place | undefined, faults: string[]): void {
  if (value === null || faults.length >= MOST_FAULTS) return
  const node = concrete(type, value)
  const fault = (text: string) => faults.push(place === undefined ? text : `${placeText(place)}: ${text}`)
  if (node.kind === 'scalar') {
    const wrong = scalarFault(node.scalar, value)
    if (wrong !== undefined) fault(wrong)
  } else if (node.kind === 'list') {
    if (!Array.isArray(value)) fault(`expected list, got ${shown(value)}`)
    else checkItems(node, value, place, faults)
  } else if (typeof value !== 'object' || Array.isArray(value)) fault(`expected map, got ${shown(value)}`)
  else {
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      const child = node.child(name)
      const member: Place = { parent: place, element: `f:${name}` }
      if (child !== undefined) check(child, item, member, faults)
      else {
        faults.push(`${placeText(member)}: field not declared in schema`)
        return
      }
    }
  }
}

function checkItems(node: TypedNode, items: readonly Json[], place: Place | undefined, faults: string[]): void {
  const seen = new Set<string>()
  for (const [i, item] of items.entries()) {
    if (node.atomic) {
      if (node.items !== undefined) check(node.items, item, { parent: place, element: `i:${i}` }, faults)
      continue
    }
    let element: string
    try {
      element = listElement(node, item)
    } catch (error) {
      if (!(error instanceof ListElementError)) throw error
      faults.push(`${placeText(place)}: element ${i}: ${error.message}`)
      return
    }
    if (seen.has(element)) faults.push(`${placeText(place)}${DUPLICATE}${elementText(element)}`)
    seen.add(element)
    if (node.items !== undefined) check(node.items, item, { parent: place, element }, faults)
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

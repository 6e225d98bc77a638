import { getOwn, isObject, type Json, type JsonObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import type { YamlLine } from '../../wire/messages.ts'
import { shownText } from '../../wire/shown-text.ts'
import { type OwnerNode, ownersOf, stepInto, stepIntoItem } from './field-owners.ts'

/**
 * An object as lines of YAML, as `encodeYaml` writes it, each with the owners of the field that begins there. `owners` are the roots of
 * the managers' sets of fields.
 */
export function yamlLines(object: JsonObject, owners: readonly OwnerNode[]): readonly YamlLine[] {
  const lines: YamlLine[] = []
  writeFields(lines, object, owners, 0, '')
  return lines
}

/** `lead`: the dash of a list's item, before its first field. */
function writeFields(lines: YamlLine[], object: JsonObject, owners: readonly OwnerNode[], indent: number, lead: string): void {
  let before = lead
  for (const key of Object.keys(object).sort()) {
    const at = { owners: stepInto(owners, key), indent, column: indent + lead.length, before: `${before}${keyText(key)}:` }
    writeValue(lines, getOwn(object, key) as Json, at)
    before = ' '.repeat(lead.length)
  }
}

interface YamlPosition {
  readonly owners: readonly OwnerNode[]
  readonly indent: number
  /** Where the key begins: what is below it is indented from here. */
  readonly column: number
  /** What precedes the value in its first line: its key, or the dash of an item. */
  readonly before: string
}

function writeValue(lines: YamlLine[], value: Json, at: YamlPosition): void {
  const { owners, indent, column, before } = at
  if (Array.isArray(value) && value.length > 0) {
    lines.push([indent, before, ownersOf(owners)])
    for (const item of value) writeItem(lines, item, stepIntoItem(owners, item), column)
  } else if (isObject(value) && Object.keys(value).length > 0) {
    lines.push([indent, before, ownersOf(owners)])
    writeFields(lines, value, owners, column + 2, '')
  } else writeScalar(lines, value, at)
}

function writeItem(lines: YamlLine[], item: Json, owners: readonly OwnerNode[], indent: number): void {
  if (isObject(item) && Object.keys(item).length > 0) writeFields(lines, item, owners, indent, '- ')
  else writeValue(lines, item, { owners, indent, column: indent + 2, before: '-' })
}

/** A scalar, or an empty list or map; a text of several lines follows as a block. */
function writeScalar(lines: YamlLine[], value: Json, { owners, indent, column, before }: YamlPosition): void {
  const [first = '', ...rest] = encodeYaml(value).trimEnd().split('\n')
  lines.push([indent, shownText(`${before} ${first}`), ownersOf(owners)])
  for (const line of rest) lines.push([column, shownText(line), []])
}

const PLAIN_KEY = /^[A-Za-z_][\w./-]*$/

const keyText = (key: string): string => (PLAIN_KEY.test(key) ? key : shownText(encodeYaml(key).trim(), 300))

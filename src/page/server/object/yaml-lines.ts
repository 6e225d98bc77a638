import { itemKeys } from '../../../machinery/json/value-changes.ts'
import { getOwn, isObject, type Json, type JsonObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import type { YamlLine } from '../../wire/object-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { type ChangePosition, changeOfMember, NO_CHANGES, type SetBy } from './field-changes.ts'
import { type OwnerNode, ownersOf, stepInto, stepIntoItem } from './field-owners.ts'

/**
 * An object as lines of YAML, as `encodeYaml` writes it, each with the owners of the field that begins there, and with the change that set
 * it. `owners` are the roots of the managers' sets of fields.
 */
export function yamlLines(object: JsonObject, owners: readonly OwnerNode[], setBy: SetBy = NO_CHANGES): readonly YamlLine[] {
  const lines: YamlLine[] = []
  writeFields(lines, object, { owners, change: { path: '', setBy, latest: -1 } }, 0, '')
  return lines
}

interface FieldPosition {
  readonly owners: readonly OwnerNode[]
  readonly change: ChangePosition
}

/** `lead`: the dash of a list's item, before its first field. */
function writeFields(lines: YamlLine[], object: JsonObject, { owners, change }: FieldPosition, indent: number, lead: string): void {
  let before = lead
  for (const key of Object.keys(object).sort()) {
    const field = { owners: stepInto(owners, key), change: changeOfMember(change, key, false) }
    writeValue(lines, getOwn(object, key) as Json, {
      ...field,
      indent,
      column: indent + lead.length,
      before: `${before}${keyText(key)}:`,
    })
    before = ' '.repeat(lead.length)
  }
}

interface YamlPosition extends FieldPosition {
  readonly indent: number
  /** Where the key begins: what is below it is indented from here. */
  readonly column: number
  /** What precedes the value in its first line: its key, or the dash of an item. */
  readonly before: string
}

function writeValue(lines: YamlLine[], value: Json, at: YamlPosition): void {
  const { owners, change, indent, column, before } = at
  if (Array.isArray(value) && value.length > 0) {
    lines.push([indent, before, ownersOf(owners), change.latest])
    const keys = itemKeys(value)
    for (const [i, item] of value.entries())
      writeItem(lines, item, { owners: stepIntoItem(owners, item), change: changeOfMember(change, keys[i] ?? '', true) }, column)
  } else if (isObject(value) && Object.keys(value).length > 0) {
    lines.push([indent, before, ownersOf(owners), change.latest])
    writeFields(lines, value, at, column + 2, '')
  } else writeScalar(lines, value, at)
}

function writeItem(lines: YamlLine[], item: Json, at: FieldPosition, indent: number): void {
  if (isObject(item) && Object.keys(item).length > 0) writeFields(lines, item, at, indent, '- ')
  else writeValue(lines, item, { ...at, indent, column: indent + 2, before: '-' })
}

/** A scalar, or an empty list or map; a text of several lines follows as a block. */
function writeScalar(lines: YamlLine[], value: Json, { owners, change, indent, column, before }: YamlPosition): void {
  const [first = '', ...rest] = encodeYaml(value).trimEnd().split('\n')
  lines.push([indent, shownText(`${before} ${first}`), ownersOf(owners), change.latest])
  for (const line of rest) lines.push([column, shownText(line), [], change.latest])
}

const PLAIN_KEY = /^[A-Za-z_][\w./-]*$/

const keyText = (key: string): string => (PLAIN_KEY.test(key) ? key : shownText(encodeYaml(key).trim(), 300))

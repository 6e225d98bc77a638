import { duplicate, type FieldError, index, invalid, invalidNamed, required, tooMany } from '../../machinery/field-error.ts'
import { FieldPathError, followFieldPath } from '../../machinery/structural/field-path.ts'
import { isIntOrString, type SchemaProps } from '../../machinery/structural/schema-props.ts'
import { faultsOfEach, faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { unsupportedWord } from './check-schema-of-version.ts'
import type { Column, DefinitionVersion, SelectableField, Subresources } from './types.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const LONGEST_WARNING = 256
const MOST_SELECTABLE = 8

export function checkDeprecation({ deprecated, deprecationWarning: warning }: DefinitionVersion, path: string): FieldError[] {
  if (warning === undefined || warning === null) return []
  const at = `${path}.deprecationWarning`
  if (deprecated !== true) return [invalidNamed(at, warning, 'can only be set for deprecated versions')]
  const faults: FieldError[] = []
  if (isLonger(warning, LONGEST_WARNING)) faults.push(invalidNamed(at, warning, 'must be <= 256 characters long'))
  if (warning === '') faults.push(invalidNamed(at, warning, 'must not be an empty string'))
  const odd = warning.search(UNPRINTABLE)
  if (odd >= 0) {
    const bytes = Buffer.byteLength(warning.slice(0, odd))
    faults.push(invalidNamed(at, warning, `must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`))
  }
  return faults
}

/** As Go: of all spaces only the usual one is printable. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u

/** In code points; each has at most two units. */
const isLonger = (text: string, most: number) => text.length > 2 * most || (text.length > most && [...text].length > most)

export function checkColumns(columns: readonly Column[], path: string): FieldError[] {
  return faultsOfEach(columns, (column, i) => checkColumn(column, index(path, i)))
}

function checkColumn(column: Column, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!column.name) faults.push(required(`${path}.name`))
  const types = `must be one of ${COLUMN_TYPES.join(',')}`
  if (!column.type) faults.push(required(`${path}.type`, types))
  else if (!COLUMN_TYPES.includes(column.type)) faults.push(invalid(`${path}.type`, column.type, types))
  if (column.format && !COLUMN_FORMATS.includes(column.format))
    faults.push(invalid(`${path}.format`, column.format, `must be one of ${COLUMN_FORMATS.join(',')}`))
  if (!column.jsonPath) faults.push(required(`${path}.JSONPath`))
  else faults.push(...checkPath(column.jsonPath, `${path}.JSONPath`))
  return faults
}

function checkPath(text: string, path: string): FieldError[] {
  return text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')]
}

export function checkSubresources(subresources: Subresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined || scale === null) return []
  const at = `${path}.scale`
  const under = (text: string, name: string, roots: readonly string[], places: string): FieldError[] => {
    const wrong = checkPath(text, `${at}.${name}`)
    if (wrong.length > 0 || roots.some((r) => text.startsWith(r))) return wrong
    return [invalid(`${at}.${name}`, text, `should be a json path under ${places}`)]
  }
  const faults: FieldError[] = []
  if (!scale.specReplicasPath) faults.push(required(`${at}.specReplicasPath`))
  else faults.push(...under(scale.specReplicasPath, 'specReplicasPath', ['.spec.'], '.spec'))
  if (!scale.statusReplicasPath) faults.push(required(`${at}.statusReplicasPath`))
  else faults.push(...under(scale.statusReplicasPath, 'statusReplicasPath', ['.status.'], '.status'))
  if (scale.labelSelectorPath)
    faults.push(...under(scale.labelSelectorPath, 'labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status'))
  return faults
}

/** As in Kubernetes the schema has to be in the same place: that of all versions, or that of each (`owner`). `when` names it. */
export function checkSelectableFields(
  fields: readonly SelectableField[],
  schema: SchemaProps | undefined,
  owner: string,
  when: string,
): FieldError[] {
  if (fields.length === 0) return []
  const path = `${owner}.selectableFields`
  if (schema === undefined) return [invalid(path, '', `may only be set ${when}`)]
  const seen = new Set<string>()
  const faults = faultsOfEach(fields, ({ jsonPath }, i) => checkSelectableField(jsonPath, schema, seen, `${path}[${i}].jsonPath`))
  const unsupported = unsupportedWord(schema)
  if (unsupported !== undefined) faults.unshift(invalid(`${owner}.schema.openAPIV3Schema`, '', unsupported))
  return faultsThen(faults, (found) => (seen.size > MOST_SELECTABLE ? [...found, tooMany(path, seen.size, MOST_SELECTABLE)] : found))
}

function checkSelectableField(jsonPath: string | undefined, schema: SchemaProps, seen: Set<string>, at: string): FieldError[] {
  if (!jsonPath) return [required(at)]
  const faults: FieldError[] = []
  try {
    const found = followFieldPath(jsonPath, schema, false)
    if (found.steps[0] === 'metadata') faults.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    if (!isSelectable(found.schema)) faults.push(invalid(at, jsonPath, ONLY))
    if (seen.has(found.text)) faults.push(duplicate(at, jsonPath))
    else seen.add(found.text)
  } catch (error) {
    if (!(error instanceof FieldPathError)) throw error
    faults.push(invalid(at, jsonPath, `is an invalid path: ${error.message}`))
  }
  return faults
}

const ONLY = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'

const isSelectable = (s: SchemaProps) => !isIntOrString(s) && ['string', 'boolean', 'integer'].includes(s.type ?? '')

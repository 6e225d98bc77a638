import { isObject } from '../../../machinery/object.ts'
import type { JSONSchemaProps } from '../../../resources/types/apiextensions.ts'
import { exampleValue, fitsText } from './example-value.ts'
import type { FieldValue } from './field-value.ts'
import { knownValues } from './known-fields.ts'

/** Values that may matter: more and less, on and off, set and unset, empty, and what cannot be satisfied. */
export function fieldValues(schema: JSONSchemaProps, now: unknown, { name, required }: { name: string; required: boolean }): FieldValue[] {
  // What is not set has its default.
  const found = [...(knownValues(name, now) ?? []), ...valuesOf(schema, now ?? schema.default)]
  if (now !== undefined && !required) found.push(plain(undefined))
  if (schema.nullable === true) found.push(plain(null))
  const texts = new Set([JSON.stringify(now ?? schema.default)])
  return found.filter(({ value }) => {
    const text = JSON.stringify(value)
    const isNew = !texts.has(text)
    texts.add(text)
    return isNew
  })
}

const plain = (value: unknown): FieldValue => ({ value, sort: 'plain' })
const guess = (value: unknown): FieldValue => ({ value, sort: 'guess' })
const some = (value: unknown, sort: (value: unknown) => FieldValue): FieldValue[] => (value === undefined ? [] : [sort(value)])

function valuesOf(schema: JSONSchemaProps, now: unknown): FieldValue[] {
  if (schema.enum !== undefined) return schema.enum.map(plain)
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof now === 'string' ? forms(schema, now) : [guess(typeof now === 'number' ? now + 1 : exampleValue(schema))]
  switch (schema.type) {
    case 'boolean':
      return [plain(now !== true)]
    case 'integer':
    case 'number':
      return numbers(schema, now)
    case 'string':
      return typeof now === 'string' && now !== '' ? forms(schema, now) : some(exampleText(schema), guess)
    case 'array':
      return lists(schema, now)
    case 'object':
      return objects(schema, now)
    default:
      return []
  }
}

function numbers({ minimum, maximum = Number.MAX_SAFE_INTEGER, multipleOf = 1 }: JSONSchemaProps, now: unknown): FieldValue[] {
  const least = minimum ?? 0
  const from = typeof now === 'number' ? now : least
  const inside = [from + multipleOf, from - multipleOf, ...(minimum === undefined ? [] : [minimum])]
  const values = inside.filter((n) => n >= least && n <= maximum).map(plain)
  return [...values, { value: least - multipleOf, sort: 'bad' }]
}

/** Texts of the same form: the number in it grows and shrinks; else a letter is added. */
function forms(schema: JSONSchemaProps, now: string): FieldValue[] {
  const changed = (by: number) => now.replace(/\d+/, (digits) => String(Math.max(1, Number(digits) + by)))
  const numbers = [changed(1), changed(-1)].filter((text) => text !== now && fitsText(schema, text))
  if (numbers.length > 0) return numbers.map(guess)
  return some(fitsText(schema, `${now}x`) ? `${now}x` : exampleText(schema), guess)
}

/** Not the default, which is what is there. */
const exampleText = ({ default: _, ...schema }: JSONSchemaProps) => exampleValue(schema)

function lists(schema: JSONSchemaProps, now: unknown): FieldValue[] {
  const { minItems = 0 } = schema
  const more = exampleValue(schema)
  if (!Array.isArray(now) || now.length === 0) return some(more, guess)
  const fewer = now.length > minItems ? [plain(now.slice(0, -1))] : []
  return Array.isArray(more) ? [...fewer, guess([...now, more[0]])] : fewer
}

function objects(schema: JSONSchemaProps, now: unknown): FieldValue[] {
  const example = exampleValue(schema)
  if (schema.properties === undefined && isObject(schema.additionalProperties) && isObject(now) && isObject(example))
    return [guess({ ...now, ...example })]
  return now === undefined ? some(example, schema.properties === undefined ? guess : plain) : []
}

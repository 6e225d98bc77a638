import { isObject } from '../../../machinery/object.ts'
import type { JSONSchemaProps } from '../../../resources/types/apiextensions.ts'
import { exampleValue, fitsText } from './example-value.ts'
import type { FieldValue } from './field-value.ts'
import { knownValues } from './known-fields.ts'

/** Values that may matter: more and less, on and off, set and unset, empty, and what cannot be satisfied. */
export function fieldValues(schema: JSONSchemaProps, now: unknown, { name, required }: { name: string; required: boolean }): FieldValue[] {
  const found = [...(knownValues(name, now) ?? []), ...valuesOf(schema, now)]
  if (now !== undefined && !required) found.push(plain(undefined))
  if (schema.nullable === true) found.push(plain(null))
  const texts = new Set([JSON.stringify(now)])
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
    return typeof now === 'string' ? some(sameForm(schema, now), guess) : [guess(typeof now === 'number' ? now + 1 : exampleValue(schema))]
  switch (schema.type) {
    case 'boolean':
      return [plain(now !== true)]
    case 'integer':
    case 'number':
      return numbers(schema, now)
    case 'string':
      return typeof now === 'string' && now !== '' ? some(sameForm(schema, now), guess) : some(exampleValue(schema), guess)
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

/** A text of the same form: the number in it grows; else a letter is added. */
function sameForm(schema: JSONSchemaProps, now: string): unknown {
  const more = now.replace(/\d+/, (digits) => String(Number(digits) + 1))
  return [more, `${now}x`].find((text) => text !== now && fitsText(schema, text)) ?? exampleValue(schema)
}

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

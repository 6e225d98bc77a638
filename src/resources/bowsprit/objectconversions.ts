import { once } from '../../base/once.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { DECIMAL, list, META, reportStructs, reviewResource, TEXT } from './report-schema.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  object: 'An object of a custom kind, in one of its versions.',
  versions: 'The object in each other version of its kind.',
  error: 'Why it cannot be converted.',
  milliseconds: 'How long it took.',
}

const ANYTHING: Schema = { type: 'any', go: 'runtime.RawExtension' }

const struct = reportStructs(ABOUT)

/** The types of `object-conversion.ts`. */
const schema = once(() => {
  const converted = struct('ConvertedObject', { apiVersion: TEXT, object: ANYTHING, error: TEXT, milliseconds: DECIMAL })
  return struct('ObjectConversion', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    spec: struct('ObjectConversionSpec', { object: ANYTHING }),
    status: struct('ObjectConversionStatus', { versions: list(converted) }),
  })
})

/** `objectconversions.bowsprit.dev`: created with an object of a custom kind, answered with its other versions. */
export const objectConversions = reviewResource(
  { kind: 'ObjectConversion', plural: 'objectconversions', singular: 'objectconversion' },
  schema,
)

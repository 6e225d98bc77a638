import type { FieldPlaces, NumberTexts } from '../../../machinery/json/json-parser.ts'
import type { GroupVersionKind } from '../../../machinery/object.ts'
import type { ResourceVersion } from '../../../machinery/resource/definition.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import type { FieldValidation } from '../options.ts'

/** The expected kind of a body, and the schema that decodes it. */
export interface Expected {
  readonly gvk: GroupVersionKind
  readonly schema: Schema
  /** Decodes it instead of the schema. */
  readonly decode?: ResourceVersion['decode']
  /** Custom kinds have no protobuf. */
  readonly custom: boolean
}

/** What was read of a body besides its JSON, and how its fields are validated. */
export interface BodySource {
  readonly validation: FieldValidation
  readonly bytes?: Buffer
  readonly strict?: string
  readonly duplicates?: readonly string[] | undefined
  readonly places?: FieldPlaces | undefined
  readonly numbers?: NumberTexts | undefined
}

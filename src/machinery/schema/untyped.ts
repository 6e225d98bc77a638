import { reaching } from './reaching.ts'

/** Whether an object of this type may hold values without a type, which keep the order of their members; managed fields do not count. */
export const hasUntypedValues = reaching(
  (schema) => schema.type === 'any' && schema.alternative === undefined && schema.go !== 'v1.FieldsV1',
)

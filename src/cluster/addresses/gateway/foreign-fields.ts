/** The fields of an object whose definition is the user's: each may be anything. */
export type Fields = Readonly<Record<string, unknown>>

/** Empty for what is no object. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Empty for what is no list. */
export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])

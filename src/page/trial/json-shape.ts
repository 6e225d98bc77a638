/** A value that has not the shape that was expected; the message names the place. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
  readonly code = 'malformed-json'
}

/** Reads a value of parsed JSON. @throws {ShapeError} if it has another shape */
export type Shape<T> = (value: unknown, at: string) => T

/** What a shape reads. */
export type Read<S> = S extends Shape<infer T> ? T : never

export const aText: Shape<string> = (value, at) => {
  if (typeof value !== 'string') throw new ShapeError(`${at} is not a text`)
  return value
}

export const aNumber: Shape<number> = (value, at) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ShapeError(`${at} is not a number`)
  return value
}

export const aBoolean: Shape<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw new ShapeError(`${at} is neither true nor false`)
  return value
}

export const oneOf =
  <const T extends string>(...words: readonly T[]): Shape<T> =>
  (value, at) => {
    const word = words.find((each) => each === value)
    if (word === undefined) throw new ShapeError(`${at} is none of ${words.join(', ')}`)
    return word
  }

export const listOf =
  <T>(item: Shape<T>): Shape<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw new ShapeError(`${at} is not a list`)
    return value.map((each, i) => item(each, `${at}[${i}]`))
  }

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined || value === null ? undefined : shape(value, at)

/** Of an object: the fields that are named. Others are left out. */
export const fieldsOf =
  <T extends object>(shapes: { readonly [K in keyof T]: Shape<T[K]> }): Shape<Readonly<T>> =>
  (value, at) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new ShapeError(`${at} is not an object`)
    const entries = Object.entries<Shape<unknown>>(shapes).map(([name, shape]) => [
      name,
      shape(
        Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined,
        at === '' ? name : `${at}.${name}`,
      ),
    ])
    return Object.fromEntries(entries) as T
  }

import { propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** The target of a simple JSON path of a definition (`.spec.a`, `.spec['b']`). */
export interface FieldPath {
  /** In the notation of field errors: `spec.a[b]`. */
  readonly text: string
  readonly steps: readonly string[]
  readonly schema: SchemaProps
}

/** An invalid path; the message is Kubernetes' own. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError'
}

/** Follows a path through a schema. `arrays` allows `['name']`. Throws `FieldPathError`. */
export function followFieldPath(path: string, schema: SchemaProps, arrays: boolean): FieldPath {
  const tokens = tokensOf(path)
  let at = schema
  let text = ''
  const steps: string[] = []
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++] ?? ''
    let name: string
    if (token === '[') {
      if (!arrays) throw new FieldPathError('array notation is not allowed')
      const quoted = tokens[i++]
      if (quoted === undefined) throw new FieldPathError('unexpected end of JSON path')
      name = unquoted(quoted)
      if (tokens[i] === undefined) throw new FieldPathError('unexpected end of JSON path')
      if (tokens[i++] !== ']') throw new FieldPathError(`expected ] but got: ${tokens[i - 1]}`)
    } else if (token === '.') {
      const next = tokens[i++]
      if (next === undefined) throw new FieldPathError('unexpected end of JSON path')
      name = next
    } else {
      throw new FieldPathError(`expected [ or . but got: ${token}`)
    }
    const below = propertyOf(at, name)
    const value = valuesOf(at)
    if (below !== undefined) text = text === '' ? name : `${text}.${name}`
    else if (value !== undefined) text = `${text}[${name}]`
    else throw new FieldPathError('does not refer to a valid field')
    at = below ?? value ?? at
    steps.push(name)
  }
  return { text, steps, schema: at }
}

/** `.`, `[` and `]` are tokens outside of quotes; `{` as well, although no path contains it. */
function tokensOf(path: string): string[] {
  return path.match(/'(?:[^'\\]|\\.)*'|[.[\]{]|[^.[\]{']+|'/gs) ?? []
}

function unquoted(token: string): string {
  if (!/^'.*'$/s.test(token) || token.length < 2) throw new FieldPathError(`expected single quoted string but got ${token}`)
  return token.slice(1, -1).replace(/\\(.)/gs, '$1')
}

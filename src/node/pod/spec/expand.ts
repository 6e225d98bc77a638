import { MOST_ARGUMENT_BYTES } from '../../../shell/processes/exec-limits.ts'

/** The kernel refuses to start the program: `execve` fails with `E2BIG`. */
export class ArgumentListError extends Error {
  override readonly name = 'ArgumentListError'
  readonly code = 'E2BIG'
  constructor() {
    super('argument list too long')
  }
}

/**
 * Replaces `$(NAME)` by its value; `$$` is a dollar; unknown names stay as written.
 * @throws {ArgumentListError} if the result exceeds the length limit of an argument: variables that double each other grow exponentially
 */
export function expandReferences(text: string, value: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text
  const parts: string[] = []
  let length = 0
  let end = 0
  const add = (part: string) => {
    length += part.length
    if (length > MOST_ARGUMENT_BYTES) throw new ArgumentListError()
    parts.push(part)
  }
  // No reference can end after the last parenthesis. Without this bound, the search would take quadratic time.
  const tail = text.lastIndexOf(')') + 1
  for (const { 0: whole, 1: name, index } of text.slice(0, tail).matchAll(/\$\$|\$\(([^)]*)\)/g)) {
    add(text.slice(end, index))
    add(name === undefined ? '$' : (value(name) ?? whole))
    end = index + whole.length
  }
  add(text.slice(end, tail))
  add(text.slice(tail).replaceAll('$$', () => '$'))
  return parts.join('')
}

import { MOST_ARGUMENT_BYTES } from '../../../shell/processes/exec-limits.ts'

/** What the kernel refuses to start: `execve` fails with `E2BIG`. */
export class ArgumentListError extends Error {
  override readonly name = 'ArgumentListError'
  readonly code = 'E2BIG'
  constructor() {
    super('argument list too long')
  }
}

/**
 * Replaces `$(NAME)` by its value; `$$` is a dollar; a name that is not known stays as it is written.
 * @throws {ArgumentListError} when the result is longer than one argument of a program may be: variables that double each other grow as powers of two
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
  // After the last bracket no reference can end, and none is looked for: each would be read to the end of the text.
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

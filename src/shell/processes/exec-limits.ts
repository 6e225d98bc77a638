/** Linux' own limits of `execve`: of one argument or variable with its terminating NUL (`MAX_ARG_STRLEN`), */
export const MOST_ARGUMENT_BYTES = 128 << 10
/** and of all of them with a pointer each (`ARG_MAX` with a stack of 8 MiB). */
export const MOST_EXEC_BYTES = 2 << 20
const POINTER_BYTES = 8

/** Whether Linux would start a program with these; else `execve` fails with `E2BIG`. */
export function fitsExec(argv: readonly string[], environment: Readonly<Record<string, string>>): boolean {
  let left = MOST_EXEC_BYTES
  const fits = (bytes: number) => {
    left -= bytes + 1 + POINTER_BYTES
    return bytes < MOST_ARGUMENT_BYTES && left >= 0
  }
  for (const argument of argv) if (!fits(bytesOf(argument))) return false
  for (const [name, value] of Object.entries(environment)) if (!fits(bytesOf(name) + 1 + bytesOf(value))) return false
  return true
}

/** A text has no fewer bytes than characters, so that a long one need not be encoded. */
function bytesOf(text: string): number {
  return text.length > MOST_ARGUMENT_BYTES ? text.length : Buffer.byteLength(text)
}

import { RE2JS } from 're2js'

/**
 * A regular expression of POSIX, as RE2 reads it: linear time, whatever is asked. In a basic one `\\(`, `\\)`, `\\{`, `\\}`, `\\+`, `\\?` and `\\|` are what
 * they are without the backslash in an extended one, and the other way round.
 * @throws {Error} for what is no expression
 */
export function compileExpression(source: string, extended: boolean, ignoreCase = false): RE2JS {
  return RE2JS.compile(extendedExpression(source, extended), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
}

/** The source in the extended notation. */
export function extendedExpression(source: string, extended: boolean): string {
  return extended ? source : source.replace(/\\?[(){}+?|]/g, (c) => (c.length === 2 ? c.slice(1) : `\\${c}`))
}

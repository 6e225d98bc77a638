/** Reads the classes of errors from the sources, for the catalogue in docs/errors.md. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface ErrorClass {
  readonly name: string
  /** Relative to the root of the repository. */
  readonly file: string
  /** What `code` may be, in order of the source. Empty: the class has none. */
  readonly codes: readonly string[]
  /** The first sentence of the doc comment. */
  readonly meaning: string
}

const CLASS = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export (?:abstract )?class (\w+) extends (?:Error|\w+Error)\b[^{]*\{([\s\S]*?)^\}/gm

/** The exported classes of errors in one source text. */
export function errorClassesIn(file: string, text: string): ErrorClass[] {
  return [...text.matchAll(CLASS)].map(([, comment = '', name = '', body = '']) => ({
    name,
    file,
    codes: codesOf(body, text),
    meaning: firstSentence(comment),
  }))
}

/** All of `src/`, in order of the files. */
export function errorClasses(root: string): ErrorClass[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => errorClassesIn(file, readFileSync(path.join(root, file), 'utf8')))
}

/** Literals of the field `code`, or those of the type that it names. */
function codesOf(body: string, text: string): string[] {
  const declared = /^ {2}readonly code(?:: | = )(.*)$/m.exec(body)?.[1] ?? ''
  const named = /^[A-Z]\w+$/.test(declared)
    ? (new RegExp(`^(?:export )?type ${declared} =([\\s\\S]*?)\\n(?=\\S)`, 'm').exec(text)?.[1] ?? '')
    : ''
  return [...`${declared}${named.replaceAll(/\/\*[\s\S]*?\*\//g, '')}`.matchAll(/'([^']+)'/g)].map((m) => m[1] ?? '')
}

function firstSentence(comment: string): string {
  const text = comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return /^.*?[^.]\.(?= [A-Z`@]|$)/.exec(text)?.[0] ?? text
}

/**
 * The page: classes that the package exports first, by entry point, then those inside. `publicNames`: which entry points export a class.
 */
export function errorsPage(classes: readonly ErrorClass[], publicNames: ReadonlyMap<string, readonly string[]>): string {
  const isPublic = ({ name }: ErrorClass) => publicNames.has(name)
  const rows = (list: readonly ErrorClass[], where: (e: ErrorClass) => string) =>
    list.map(
      (e) =>
        `| \`${e.name}\` | ${e.codes.map((code) => `\`${code}\``).join(', ') || '–'} | ${e.meaning.replaceAll('|', '\\|')} | ${where(e)} |`,
    )
  const table = (last: string, lines: readonly string[]) =>
    [`| class | \`code\` | meaning | ${last} |`, '|---|---|---|---|', ...lines].join('\n')
  return [
    '# Errors',
    '`npm run docs` writes this page from the doc comments; change those. Switch on `code`, not on the message: messages are for people, and where Kubernetes has a message for a case, ours is the same. API errors are a `StatusError`, whose `status` is the `Status` object.',
    '## Exported by the package',
    table(
      'from',
      rows(classes.filter(isPublic), (e) => (publicNames.get(e.name) ?? []).map((entry) => `\`${entry}\``).join(', ')),
    ),
    '## Inside',
    table(
      'file',
      rows(
        classes.filter((e) => !isPublic(e)),
        (e) => `\`${e.file}\``,
      ),
    ),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Which entry points export each name, read from the pages of `docs/api`. */
export function publishedNames(root: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const page of globSync('docs/api/*.md', { cwd: root }).sort())
    for (const [, name = ''] of readFileSync(path.join(root, page), 'utf8').matchAll(/^### (\w+)$/gm))
      names.set(name, [...(names.get(name) ?? []), `bowsprit/${path.basename(page, '.md')}`])
  return names
}

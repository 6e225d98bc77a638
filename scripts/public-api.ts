/** Reads what the package exports, with its doc comments, from the declarations that are published. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { writeDeclarations } from './declarations.ts'

/** One name that an entry point exports. */
export interface PublicExport {
  readonly name: string
  readonly kind: 'function' | 'interface' | 'type' | 'class' | 'const' | 'namespace'
  /** Its doc comment without stars; `''` when there is none. */
  readonly comment: string
  /** The declaration as TypeScript. */
  readonly signature: string
  /** The module from which the entry point exports it, relative to `src`: `sdk/client/client`. */
  readonly module: string
}

/** An entry point: what it says of itself, and its exports in order of their names. */
export interface EntryPoint {
  readonly name: string
  readonly about: string
  readonly exports: readonly PublicExport[]
}

const ENTRIES = {
  'bowsprit/sdk': 'sdk/sdk.ts',
  'bowsprit/scheduler-plugin': 'sdk/scheduler-plugin/public.ts',
  'bowsprit/device-plugin': 'sdk/device-plugin/public.ts',
  'bowsprit/csi-driver': 'sdk/csi/public.ts',
  'bowsprit/dra-plugin': 'sdk/dra-plugin/public.ts',
  'bowsprit/aggregated-api': 'aggregated-api/public.ts',
  'bowsprit/testing': 'testing/testing.ts',
} as const

/** All entry points. Takes a few seconds: the declarations are made anew. */
export function publicApi(): readonly EntryPoint[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-api-'))
  try {
    writeDeclarations(Object.values(ENTRIES), folder)
    return Object.entries(ENTRIES).map(([name, file]) => entryPoint(name, folder, file.replace(/\.ts$/, '.d.ts')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function entryPoint(name: string, folder: string, entry: string): EntryPoint {
  const file = path.join(folder, entry)
  const text = readFileSync(file, 'utf8')
  const found: PublicExport[] = []
  const moduleOf = (from: string) => path.relative(folder, sourceOf(file, from)).replace(/\.d\.ts$/, '')
  for (const [, names = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    const each = names.split(',').map((n) => n.trim().replace(/^type /, ''))
    for (const one of each.filter((n) => n !== '')) found.push({ ...declaration(one, sourceOf(file, from)), module: moduleOf(from) })
  }
  for (const [, space = '', from = ''] of text.matchAll(/^export \* as (\w+) from '([^']+)'/gm)) {
    const declared = readFileSync(sourceOf(file, from), 'utf8')
    const names = [...declared.matchAll(/^export declare const (\w+)/gm)].map((m) => m[1])
    const signature = names.map((n) => `${space}.${n}`).join('\n')
    found.push({ name: space, kind: 'namespace', comment: firstComment(declared), signature, module: moduleOf(from) })
  }
  const order = (a: PublicExport, b: PublicExport) => a.name.localeCompare(b.name, 'en')
  return { name, about: firstComment(text), exports: found.sort(order) }
}

const sourceOf = (file: string, from: string) => path.join(path.dirname(file), from.replace(/\.js$/, '.d.ts'))

/** The declaration of a name: from its keyword to the line that ends it. */
function declaration(name: string, file: string): Omit<PublicExport, 'module'> {
  const text = readFileSync(file, 'utf8')
  const origin = originOf(name, text)
  if (origin !== undefined) return declaration(name, sourceOf(file, origin))
  const start = new RegExp(`^export (?:declare )?(?:abstract )?(function|interface|type|class|const) ${name}\\b`, 'm').exec(text)
  if (start === null) throw new Error(`the declaration of ${name} is not where its entry point says`)
  const rest = text.slice(start.index)
  // A declaration ends where the next one, or its comment, begins at the margin.
  const next = rest.slice(1).search(/^(?:export |declare |\/\*\*|import )/m)
  const signature = (next === -1 ? rest : rest.slice(0, next + 1)).trim().replace(/^export (?:declare )?/, '')
  const before = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, start.index))
  return { name, kind: start[1] as PublicExport['kind'], comment: plain(before?.[1] ?? ''), signature }
}

/**
 * The module from which a file passes a name on: `export { X } from`, or an import that `export { X }` follows. Undefined: the file
 * declares it.
 */
function originOf(name: string, text: string): string | undefined {
  const named = new RegExp(`\\b${name}\\b`)
  const from = (keyword: string) =>
    [...text.matchAll(new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\} from '([^']+)'`, 'gm'))].find(([, names = '']) =>
      named.test(names),
    )?.[2]
  const isExported = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?! from)/gm)].some(([, names = '']) => named.test(names))
  return from('export') ?? (isExported ? from('import') : undefined)
}

const firstComment = (text: string) => plain(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? '')

const plain = (comment: string) =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()

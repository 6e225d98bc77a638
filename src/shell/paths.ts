import path from 'node:path'
import type { FileSystem } from './processes/process.ts'
import { ShellError, type ShellState } from './shell-state.ts'
import { type Field, textOf } from './words/fields.ts'
import { compilePattern, type PatternPiece } from './words/pattern.ts'

/** Where a path leads from a folder; never above the root. */
export function resolvePath(directory: string, name: string): string {
  return path.posix.resolve('/', directory, name)
}

/**
 * The paths that match a field if it is a pattern with matches; else its text.
 * @throws {ShellError} if there are more than `most`
 */
export async function findPaths(
  field: Field,
  { state, files }: { readonly state: ShellState; readonly files: FileSystem },
  most: number,
): Promise<readonly string[]> {
  const written = textOf(field)
  if (state.options.has('f') || !compilePattern(field).special) return [written]
  const steps = splitSteps(field)
  const rooted = written.startsWith('/')
  let found: readonly string[] = [rooted ? '/' : '']
  for (const step of steps) {
    const pattern = compilePattern(step)
    const next: string[] = []
    for (const base of found) {
      const at = resolvePath(state.directory, base || '.')
      if (!pattern.special) {
        if ((await files.status(resolvePath(at, textOf(step)))) !== undefined) next.push(base + textOf(step))
      } else {
        const hidden = textOf(step).startsWith('.')
        const names = await files.list(at).catch(() => [])
        for (const name of names) if ((hidden || !name.startsWith('.')) && pattern.matches(name)) next.push(base + name)
      }
      if (next.length > most) throw new ShellError('argument list too long')
    }
    found = next.map((p) => `${p}/`)
  }
  const paths = written.endsWith('/') ? await foldersOf(found, { state, files }) : found.map((p) => p.slice(0, -1))
  return paths.length === 0 ? [written] : paths
}

async function foldersOf(
  paths: readonly string[],
  { state, files }: { readonly state: ShellState; readonly files: FileSystem },
): Promise<readonly string[]> {
  const folders: string[] = []
  for (const name of paths) if ((await files.status(resolvePath(state.directory, name)))?.kind === 'directory') folders.push(name)
  return folders
}

/** The parts between slashes. */
function splitSteps(field: Field): readonly (readonly PatternPiece[])[] {
  const steps: PatternPiece[][] = [[]]
  for (const { text, quoted } of field)
    for (const [i, part] of text.split('/').entries()) {
      if (i > 0) steps.push([])
      if (part !== '') steps.at(-1)?.push({ text: part, quoted })
    }
  return steps.filter((s) => s.length > 0)
}

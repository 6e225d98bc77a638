/** Writes the declarations of the public entry points into `dist/types`: what `tsc` emits, without what is not reachable from them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')

/** Entry points (`sdk/sdk.ts`, from `src`); resolves with how many files were written to `folder`. */
export function writeDeclarations(entries: readonly string[], folder: string): number {
  const draft = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-types-'))
  try {
    emit(entries, draft)
    const reached = reach(
      entries.map((e) => e.replace(/\.ts$/, '.d.ts')),
      draft,
    )
    for (const [file, text] of reached) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    return reached.size
  } finally {
    rmSync(draft, { recursive: true })
  }
}

function emit(entries: readonly string[], outDir: string): void {
  const config = path.join(outDir, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir,
    rootDir: path.join(root, 'src'),
    typeRoots: [path.join(root, 'node_modules', '@types')],
  }
  const files = entries.map((e) => path.join(root, 'src', e))
  writeFileSync(config, JSON.stringify({ extends: path.join(root, 'tsconfig.json'), compilerOptions, include: [], files }))
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the declarations cannot be made: ${stdout}`)
}

/** The files that the entry points lead to, with the names under which the published ones find each other. */
function reach(entries: readonly string[], folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (file: string) => {
    if (found.has(file)) return
    const text = readFileSync(path.join(folder, file), 'utf8').replace(/(from\s+|import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2')
    found.set(file, text)
    for (const m of text.matchAll(/(?:from\s+|import\()['"](\.[^'"]+)\.js['"]/g)) visit(path.join(path.dirname(file), `${m[1]}.d.ts`))
  }
  for (const entry of entries) visit(entry)
  return found
}

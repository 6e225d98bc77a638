import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** The imports of users' programs, and the sources that replace them. */
const SOURCES = {
  'bowsprit/sdk': 'src/sdk/sdk.ts',
  'bowsprit/testing': 'src/testing/testing.ts',
  'bowsprit/types': 'src/resources/types/public.ts',
}

/** A copy of a folder of programs that imports the sources; inside the project, so that types are found. Removed after the test. */
export function exampleWorkshop(t: { after(fn: () => void): void }, from: string): string {
  const folder = mkdtempSync(path.join(root, '.docs-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(path.join(root, from), folder, { recursive: true })
  for (const file of globSync('**/*.ts', { cwd: folder })) {
    const at = path.join(folder, file)
    const text = Object.entries(SOURCES).reduce(
      (s, [name, source]) => s.replaceAll(`'${name}'`, `'${path.join(root, source)}'`),
      readFileSync(at, 'utf8'),
    )
    writeFileSync(at, text)
  }
  const compilerOptions = { noEmit: true }
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['**/*.ts'], exclude: [] }),
  )
  return folder
}

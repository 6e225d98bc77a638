/** What the page weighs: in the browser, and in the npm package. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { buildPage } from '../scripts/build-page.mjs'
import type { Result } from './measures.ts'
import { row } from './page-rows.ts'

const PAGE = path.join(import.meta.dirname, '..', 'src', 'page')

export async function sizeMeasures(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  const loaded = Object.keys(await buildPage(folder))
  const packed = (names: readonly string[]) =>
    names.map((name) => gzipSync(readFileSync(path.join(folder, name))).length).reduce((sum, size) => sum + size, 0)
  const isEditor = (name: string) => name.startsWith('code-editor')
  const isTerminal = (name: string) => name.startsWith('terminal')
  const bytes = {
    first: packed(loaded.filter((name) => !isEditor(name) && !isTerminal(name))),
    editor: packed(loaded.filter(isEditor)),
    terminal: packed(loaded.filter(isTerminal)),
    all: packed(readdirSync(folder)) + (await serverSize()),
  }
  rmSync(folder, { recursive: true })
  const kib = (size: number) => `${(size / 1024).toFixed(1)} KiB`
  return [
    row('page: what the browser loads first, gzip', kib(bytes.first), '≤ 60 KB'),
    row('… the editor, when it is opened', kib(bytes.editor), '≤ 140 KB'),
    row('… the terminal, when it is opened', kib(bytes.terminal), '≤ 95 KB'),
    row('… all of it in the npm package, with its server', kib(bytes.all), '≤ 400 KB'),
  ]
}

/** The page's own part of the bundle, as `npm run build` makes it, gzip. */
async function serverSize(): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [path.join(PAGE, 'server', 'open-page.ts')],
    plugins: [withoutOthers],
    bundle: true,
    format: 'esm',
    platform: 'node',
    minifyWhitespace: true,
    minifySyntax: true,
    write: false,
  })
  return outputFiles.map(({ contents }) => gzipSync(contents).length).reduce((sum, size) => sum + size, 0)
}

/** Leaves out what the package has anyway. */
const withoutOthers: Plugin = {
  name: 'without-others',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path: name, resolveDir, kind }) => {
      const isOwn = kind === 'entry-point' || (name.startsWith('.') && path.resolve(resolveDir, name).startsWith(PAGE))
      return isOwn ? undefined : { path: name, external: true }
    })
  },
}

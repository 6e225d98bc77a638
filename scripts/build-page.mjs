// Bundles the browser's part of the page into src/page/browser/generated, or the folder that is named. `npm ci` runs it (by prepare.mjs), with
// whatever Node is there; `npm run build` puts the same into the package.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const browser = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'src', 'page', 'browser')

/** @type {import('esbuild').BuildOptions} */
const SHARED = { bundle: true, minify: true, jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' }
const REPORT_FILE = 'report-file.cjs'

/** Makes the page's files. Resolves with the sizes of the bundles, in bytes by name. */
export async function buildPage(folder = path.join(browser, 'generated')) {
  mkdirSync(folder, { recursive: true })
  const { metafile } = await build({
    ...SHARED,
    entryPoints: {
      page: path.join(browser, 'main.tsx'),
      style: path.join(browser, 'page.css'),
      terminal: path.join(browser, 'terminal', 'frame.ts'),
      'terminal-style': path.join(browser, 'terminal', 'frame.css'),
    },
    outdir: folder,
    entryNames: '[name]',
    format: 'esm',
    splitting: true,
    target: ['chrome123', 'firefox124', 'safari17.4'],
    metafile: true,
  })
  // What `bowsprit test-operator --html` writes: Node runs it.
  await build({
    ...SHARED,
    entryPoints: [path.join(browser, 'trial', 'report-file.tsx')],
    outfile: path.join(folder, REPORT_FILE),
    format: 'cjs',
    platform: 'node',
    loader: { '.css': 'text' },
  })
  const made = new Set([...Object.keys(metafile.outputs).map((file) => path.basename(file)), REPORT_FILE])
  // Chunks of earlier builds have other names.
  for (const name of readdirSync(folder)) if (!made.has(name)) rmSync(path.join(folder, name))
  for (const name of ['index.html', 'icon.svg', 'terminal/terminal.html'])
    cpSync(path.join(browser, name), path.join(folder, path.basename(name)))
  return Object.fromEntries(Object.entries(metafile.outputs).map(([file, { bytes }]) => [path.basename(file), bytes]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildPage(process.argv[2]))

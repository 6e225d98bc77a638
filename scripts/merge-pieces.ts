/** Puts the pieces of a bundle that are always needed together into one file: each file that a start opens costs half a millisecond of it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

export interface MergeConfig {
  /** Where the bundle lies, with what esbuild says of it; its files have no banner yet. */
  readonly folder: string
  readonly outputs: Metafile['outputs']
  /** The options of the bundle, for the files that are written anew. */
  readonly shared: BuildOptions
  /** The program, by the source of its entry: it stays a small file of its own, and what it imports at once beside it. */
  readonly entry: string
  /** What it reads next, by source: these and all that they import become one file. */
  readonly always: readonly string[]
}

type Output = Metafile['outputs'][string]

/** Merges; gives the name of the file in which the pieces are. */
export async function mergePieces({ folder, outputs, shared, entry, always }: MergeConfig): Promise<string> {
  const pieces = new Map(
    Object.entries(outputs)
      .filter(([file]) => file.endsWith('.js'))
      .map(([file, output]) => [path.basename(file), output]),
  )
  const apart = closure(pieces, [pieceOf(pieces, entry)])
  const roots = always.map((source) => pieceOf(pieces, source))
  const merged = [...closure(pieces, roots)].filter((name) => !apart.has(name))
  const into = `${path.basename(pieceOf(pieces, entry), '.js')}-core.js`
  const index = new Map(merged.map((name, i) => [name, i]))
  const exported = (name: string, rename: (own: string, inCore: string) => string, from: string) => {
    const names = (pieces.get(name)?.exports ?? []).map((own) => rename(own, `p${index.get(name)}_${own}`))
    return names.length === 0 ? `import '${from}'\n` : `export { ${names.join(', ')} } from '${from}'\n`
  }
  const others = [...pieces.keys()].filter((name) => !index.has(name))
  const { outdir: _, ...options } = shared
  const common = { ...options, absWorkingDir: folder, bundle: true, splitting: false, allowOverwrite: true }
  // Roots come first: pieces run in the order in which they ran before.
  const contents = [...roots.filter((name) => index.has(name)), ...merged]
    .map((name, i, all) => (all.indexOf(name) === i ? exported(name, (own, inCore) => `${own} as ${inCore}`, `./${name}`) : ''))
    .join('')
  await build({
    ...common,
    stdin: { contents, resolveDir: folder, sourcefile: into },
    outfile: path.join(folder, into),
    plugins: [linked((name) => (index.has(name) ? undefined : { path: `./${name}`, external: true }))],
  })
  assertAscii(path.join(folder, into))
  await build({
    ...common,
    outdir: folder,
    entryPoints: others.map((name) => path.join(folder, name)),
    plugins: [
      linked((name) => (index.has(name) ? { path: name, namespace: 'merged' } : { path: `./${name}`, external: true })),
      {
        name: 'merged',
        setup({ onLoad }) {
          onLoad({ filter: /.*/, namespace: 'merged' }, ({ path: name }) => ({
            contents: exported(name, (own, inCore) => `${inCore} as ${own}`, `./${into}`),
            resolveDir: folder,
          }))
        },
      },
    ],
  })
  for (const name of merged) {
    const file = path.join(folder, name)
    // Who asks for it when it is needed goes on asking for it by its name.
    if (pieces.get(name)?.entryPoint === undefined) rmSync(file)
    else
      writeFileSync(
        file,
        exported(name, (own, inCore) => `${inCore} as ${own}`, `./${into}`),
      )
  }
  return into
}

/** How one piece finds another; Node's own modules stay what they are. */
function linked(resolve: (name: string) => { path: string; namespace?: string; external?: boolean } | undefined): Plugin {
  return {
    name: 'linked',
    setup({ onResolve }) {
      onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, external: true }))
      onResolve({ filter: /^\.\/[^/]+\.js$/ }, ({ path: name, kind }) => {
        if (kind === 'dynamic-import') return { path: name, external: true }
        return kind === 'import-statement' ? resolve(path.basename(name)) : undefined
      })
    },
  }
}

function closure(pieces: ReadonlyMap<string, Output>, roots: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    for (const { path: file, kind, external } of pieces.get(name)?.imports ?? [])
      if (kind === 'import-statement' && external !== true) visit(path.basename(file))
  }
  for (const root of roots) visit(root)
  return found
}

function pieceOf(pieces: ReadonlyMap<string, Output>, source: string): string {
  for (const [name, { entryPoint }] of pieces) if (entryPoint === source) return name
  throw new Error(`${source} is no piece of the bundle`)
}

/** One character beyond ASCII, and all of the file is read as text of two bytes a character: it takes longer, and twice the memory in each process. */
function assertAscii(file: string): void {
  const text = readFileSync(file, 'utf8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  const at = text.search(/[^\x00-\x7f]/)
  if (at >= 0)
    throw new Error(`${path.basename(file)} is not ASCII: write an escape (\\u00b5) in the source of …${text.slice(at - 60, at + 20)}…`)
}

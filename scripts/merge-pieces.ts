/**
 * Puts pieces of a bundle that are always needed together into one file: each file that a start finds and opens costs half a millisecond of
 * it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { groupPieces, reached } from './group-pieces.ts'

export interface MergeConfig {
  /** Where the bundle lies, with what esbuild says of it; its files have no banner yet. */
  readonly folder: string
  readonly outputs: Metafile['outputs']
  /** The options of the bundle, for the files that are written anew. */
  readonly shared: BuildOptions
}

export interface ProgramConfig extends MergeConfig {
  /** The program, by the source of its entry: it stays a small file of its own, and what it imports at once beside it. */
  readonly entry: string
  /** What it reads next, by source: these and all that they import become one file. */
  readonly always: readonly string[]
}

type Output = Metafile['outputs'][string]
type Pieces = ReadonlyMap<string, Output>

/** All that a program always needs becomes one file. */
export async function mergeProgram({ entry, always, ...config }: ProgramConfig): Promise<void> {
  const pieces = piecesOf(config)
  const apart = closure(pieces, [pieceOf(pieces, entry)])
  const roots = always.map((source) => pieceOf(pieces, source))
  const merged = [...closure(pieces, roots)].filter((name) => !apart.has(name))
  const into = `${path.basename(pieceOf(pieces, entry), '.js')}-core.js`
  // Roots come first: pieces run in the order in which they ran before.
  await merge(config, new Map([[into, [...new Set([...roots.filter((name) => merged.includes(name)), ...merged])]]]))
  assertAscii(path.join(config.folder, into))
}

/** Pieces that are needed together become one file. Each of these roots is one source, or several that are loaded in one go. */
export async function mergeShared({ roots, ...config }: MergeConfig & { readonly roots: readonly (readonly string[])[] }): Promise<void> {
  const pieces = piecesOf(config)
  const several = groupPieces(
    [...pieces].map(([name, piece]) => ({
      name,
      bytes: piece.bytes,
      imports: importsOf(piece),
      fixed: piece.entryPoint !== undefined,
    })),
    roots.map((sources) => sources.map((source) => pieceOf(pieces, source))),
  )
  await merge(config, new Map(several.map((names, i) => [`shared-${i + 1}.js`, names])))
}

/** Writes each group into the file of its name, and all others anew, so that they find what they need there. */
async function merge({ folder, outputs, shared }: MergeConfig, groups: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const pieces = piecesOf({ outputs })
  const place = new Map([...groups].flatMap(([into, names]) => names.map((name, i) => [name, { into, prefix: `p${i}_` }] as const)))
  const { outdir: _, ...options } = shared
  const common = { ...options, absWorkingDir: folder, bundle: true, splitting: false, allowOverwrite: true }
  const reexport = (name: string, words: (own: string, merged: string) => string, from: string) => {
    const names = (pieces.get(name)?.exports ?? []).map((own) => words(own, `${place.get(name)?.prefix}${own}`))
    return names.length === 0 ? `import '${from}'\n` : `export { ${names.join(', ')} } from '${from}'\n`
  }
  /** What a piece of a group says to those outside of it. */
  const facade = (name: string) => reexport(name, (own, merged) => `${merged} as ${own}`, `./${place.get(name)?.into}`)
  const moved: Plugin = {
    name: 'moved',
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: 'moved' }, ({ path: name }) => ({ contents: facade(name), resolveDir: folder }))
    },
  }
  const plugins = (own: string | undefined) => [
    linked((name) => {
      const into = place.get(name)?.into
      if (into === undefined) return { path: `./${name}`, external: true }
      return into === own ? undefined : { path: name, namespace: 'moved' }
    }),
    moved,
  ]
  for (const [into, names] of groups) {
    const contents = names.map((name) => reexport(name, (own, merged) => `${own} as ${merged}`, `./${name}`)).join('')
    await build({
      ...common,
      stdin: { contents, resolveDir: folder, sourcefile: into },
      outfile: path.join(folder, into),
      plugins: plugins(into),
    })
  }
  const others = [...pieces.keys()].filter((name) => !place.has(name))
  await build({ ...common, outdir: folder, entryPoints: others.map((name) => path.join(folder, name)), plugins: plugins(undefined) })
  for (const name of place.keys()) {
    const file = path.join(folder, name)
    // Who asks for it when it is needed goes on asking for it by its name.
    if (pieces.get(name)?.entryPoint === undefined) rmSync(file)
    else writeFileSync(file, facade(name))
  }
}

const piecesOf = ({ outputs }: Pick<MergeConfig, 'outputs'>): Pieces =>
  new Map(
    Object.entries(outputs)
      .filter(([file]) => file.endsWith('.js'))
      .map(([file, output]) => [path.basename(file), output]),
  )

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

const importsOf = (piece: Output | undefined): readonly string[] =>
  (piece?.imports ?? [])
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .map(({ path: file }) => path.basename(file))

/** These pieces, and all that they need at once. */
const closure = (pieces: Pieces, roots: readonly string[]): Set<string> => reached(roots, (name) => importsOf(pieces.get(name)))

function pieceOf(pieces: Pieces, source: string): string {
  for (const [name, { entryPoint }] of pieces) if (entryPoint === source) return name
  throw new Error(`${source} is no piece of the bundle`)
}

/**
 * One character beyond ASCII, and all of the file is read as text of two bytes a character: it takes longer, and twice the memory in each
 * process.
 */
function assertAscii(file: string): void {
  const text = readFileSync(file, 'utf8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  const at = text.search(/[^\x00-\x7f]/)
  if (at >= 0)
    throw new Error(`${path.basename(file)} is not ASCII: write an escape (\\u00b5) in the source of …${text.slice(at - 60, at + 20)}…`)
}

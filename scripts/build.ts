/**
 * `npm run build [-- FOLDER]`: makes `dist/`, or the folder, what is published (`npm pack` runs it): bundles for the command, the SDK, the
 * test cluster and the workers, the derived
 * facts, the objects of a first start, and the declarations of the public types. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { PREPARED_FILE, preparedText } from '../src/server/bootstrap/prepared-objects.ts'
import { buildPage } from './build-page.mjs'
import { writeDeclarations } from './declarations.ts'
import { mergeProgram, mergeShared } from './merge-pieces.ts'
import { prepareBootstrap } from './prepare-bootstrap.ts'

const require = createRequire(import.meta.url)
const root = path.join(import.meta.dirname, '..')
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'))
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })

/**
 * Node's own modules are had by `require`: `import` reads every one of their exports, and some of these load a part of Node when they are
 * read (`node:http` has a WebSocket, which loads undici). That costs a fifth of the start. Only what is used of them is read.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path: name, kind }) => {
      if (kind === 'import-statement') return { path: name, namespace: 'builtin' }
      return { path: name, external: true }
    })
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => {
      const names = Object.keys(require(name) as object).filter((own) => /^[a-z]\w*$/i.test(own) && own !== 'default')
      const exported = names.map((own) => `const node_${own} = /* @__PURE__ */ read('${own}')\nexport { node_${own} as ${own} }`)
      return {
        contents: `const m = require('${name}')\nconst read = (own) => m[own]\nexport default m\n${exported.join('\n')}`,
        loader: 'js',
      }
    })
  },
}

const shared = {
  plugins: [builtins],
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Less to read at the start; names stay, for those who read a stack.
  minifyWhitespace: true,
  minifySyntax: true,
  // CommonJS packages inside the bundle ask for Node's own modules with `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)" },
} satisfies BuildOptions

const workers = {
  'sqlite-worker': 'src/storage/sqlite/sqlite-worker.ts',
  'yaml-worker': 'src/apiserver/handlers/body/yaml-worker.ts',
  'plugin-worker': 'src/scheduler/external/plugin-worker.ts',
  'registrations-worker': 'src/scheduler/external/registrations-worker.ts',
}
/** With parts of a cluster; with programs of containers, and their guard. */
const threads = {
  'part-worker': 'src/cluster/threads/part-worker.ts',
  'programs-runner': 'src/cluster/programs/remote/programs-runner.ts',
  'programs-guard': 'src/cluster/programs/remote/programs-guard.ts',
}
const plugins = {
  'scheduler-plugin': 'src/sdk/scheduler-plugin/public.ts',
  'device-plugin': 'src/sdk/device-plugin/public.ts',
  'csi-driver': 'src/sdk/csi/public.ts',
}
const entries = {
  bowsprit: 'src/cli/main.ts',
  ...workers,
  ...threads,
  ...plugins,
  'dra-plugin': 'src/sdk/dra-plugin/public.ts',
  'aggregated-api': 'src/aggregated-api/public.ts',
  testing: 'src/testing/testing.ts',
  sdk: 'src/sdk/sdk.ts',
}
const whole = await build({ ...shared, banner: {}, entryPoints: entries, splitting: true, legalComments: 'external', metafile: true })
await mergeShared({
  folder: dist,
  outputs: whole.metafile.outputs,
  shared: { ...shared, legalComments: 'none' },
  // What may be read by itself; and what `bowsprit up` reads one after the other.
  roots: [
    ...Object.values({ ...workers, ...threads, ...plugins }).map((source) => [source]),
    ['src/sdk/dra-plugin/public.ts', 'src/sdk/sdk.ts'],
    ['src/aggregated-api/public.ts'],
    ['src/testing/testing.ts'],
    ['src/cli/main.ts', 'src/cli/program.ts'],
    ['src/cli/up.ts'],
    ['src/cluster/nodes/local-nodes.ts', 'src/cluster/parts/load-nodes.ts'],
    ['src/cluster/threads/run-parts.ts'],
    ['src/cluster/threads/thread-nodes.ts'],
    ['src/controllers/all/controller-set.ts', 'src/scheduler/scheduler.ts'],
  ],
})

// What `bowsprit assets` lays down is started again and again: to find and open a hundred pieces takes a quarter of that start. So each
// program has pieces of
// its own: one for what it always needs, and one for each thing that it may need.
const envtest = { ...shared, outdir: path.join(dist, 'envtest'), legalComments: 'none' } satisfies BuildOptions
for (const [name, entry] of Object.entries({ ...workers, etcd: 'src/etcd/main.ts' }))
  await build({ ...envtest, entryPoints: { [name]: entry }, splitting: true })
const server = 'src/cli/kube-apiserver/main.ts'
const pieces = await build({ ...envtest, banner: {}, entryPoints: { 'kube-apiserver': server }, splitting: true, metafile: true })
await mergeProgram({
  folder: envtest.outdir,
  outputs: pieces.metafile.outputs,
  shared: envtest,
  entry: server,
  always: ['src/cli/kube-apiserver/run.ts', 'src/cluster/server/etcd-store.ts'],
})

const generated = path.join(root, 'src', 'resources', 'generated')
if (existsSync(generated)) cpSync(generated, path.join(dist, 'generated'), { recursive: true })
mkdirSync(path.join(dist, 'generated'), { recursive: true })
await buildPage(path.join(dist, 'page'))
cpSync(path.join(root, 'templates'), path.join(dist, 'templates'), { recursive: true })
writeFileSync(path.join(dist, 'generated', PREPARED_FILE), preparedText(await prepareBootstrap()))
const declared = writeDeclarations(
  [
    'sdk/sdk.ts',
    'sdk/scheduler-plugin/public.ts',
    'aggregated-api/public.ts',
    'sdk/device-plugin/public.ts',
    'sdk/csi/public.ts',
    'sdk/dra-plugin/public.ts',
    'testing/testing.ts',
    'resources/types/public.ts',
  ],
  path.join(dist, 'types'),
)
console.log(`dist is built, with ${declared} declarations`)

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** One specification of Kubernetes' end-to-end suite. */
export interface Spec {
  /** All its words, from the group to what it says. */
  readonly name: string
  /** Must run with nothing beside it. */
  readonly serial: boolean
}

const VERSION = 'v1.36.3'
const LIBRARIES = 'v0.36.3'

/**
 * The suite's program: the one that `BOWSPRIT_E2E` names, one in the usual places, or it is built there.
 * @throws {Error} when it cannot be built, with Go's words
 */
export function findSuite(): string {
  const cache = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'bowsprit-e2e')
  const built = path.join(cache, 'e2e.test')
  const known = [process.env.BOWSPRIT_E2E, built, path.join(os.tmpdir(), 'oracle', 'bin', 'e2e.test')]
  const found = known.find((file) => file !== undefined && existsSync(file))
  if (found !== undefined) return found
  console.log('building the suite (once, some minutes)')
  cpSync(path.join(import.meta.dirname, 'suite'), cache, { recursive: true })
  const go = (...args: string[]) => run('go', args, cache)
  // Kubernetes' own module takes its libraries from its own tree: outside of it they are named one by one.
  const { GoMod } = JSON.parse(go('mod', 'download', '-json', `k8s.io/kubernetes@${VERSION}`)) as { GoMod: string }
  const staged = readFileSync(GoMod, 'utf8').matchAll(/^\s*(k8s\.io\/[a-z0-9-]+) => \.\/staging/gm)
  go('mod', 'edit', `-require=k8s.io/kubernetes@${VERSION}`, ...[...staged].map(([, name]) => `-replace=${name}=${name}@${LIBRARIES}`))
  go('mod', 'tidy')
  go('test', '-c', '-o', built, '.')
  return built
}

/** What the suite would run, without running it. */
export function listSpecs(
  suite: string,
  { kubeconfig, focus, folder }: { kubeconfig: string; focus: string; folder: string },
): readonly Spec[] {
  const report = path.join(folder, 'list.json')
  run(suite, [...suiteFlags(kubeconfig), '--ginkgo.dry-run', `--ginkgo.focus=${focus}`, `--ginkgo.json-report=${report}`], folder)
  return readReport(report)
    .filter((r) => r.LeafNodeType === 'It' && r.State === 'passed')
    .map((r) => {
      const labels = [...(r.ContainerHierarchyLabels ?? []).flat(), ...(r.LeafNodeLabels ?? [])]
      return {
        name: [...(r.ContainerHierarchyTexts ?? []), r.LeafNodeText].join(' '),
        serial: r.IsSerial === true || labels.includes('Serial'),
      }
    })
}

/** The arguments of every call of the suite. */
export function suiteFlags(kubeconfig: string): readonly string[] {
  return [`--kubeconfig=${kubeconfig}`, '--provider=skeleton', '--allowed-not-ready-nodes=-1', '--minStartupPods=0', '--ginkgo.no-color']
}

/** What the suite's runner (ginkgo) reports of one node of its tree. */
export interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null
  readonly ContainerHierarchyLabels?: readonly (readonly string[])[] | null
  readonly LeafNodeLabels?: readonly string[] | null
  readonly LeafNodeType: string
  readonly LeafNodeText: string
  readonly IsSerial?: boolean
  readonly State: string
  readonly Failure?: { readonly Message?: string }
}

export function readReport(file: string): readonly SpecReport[] {
  const [first] = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly SpecReports: readonly SpecReport[] }[]
  return first?.SpecReports ?? []
}

function run(program: string, args: readonly string[], cwd: string): string {
  mkdirSync(cwd, { recursive: true })
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${path.basename(program)} ${args[0]}: ${error?.message ?? stderr.slice(-2000)}`)
  return stdout
}

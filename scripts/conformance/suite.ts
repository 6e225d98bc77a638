import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { goProgram, runOrThrow } from './go-module.ts'

/** One specification of Kubernetes' end-to-end suite. */
export interface Spec {
  /** All its words, from the group to what it says. */
  readonly name: string
  /** Must run with nothing beside it. */
  readonly serial: boolean
}

/**
 * The suite's program: the one that `BOWSPRIT_E2E` names, one that was built for recordings, or it is built.
 * @throws {Error} when it cannot be built, with Go's words
 */
export function findSuite(): string {
  const known = [process.env.BOWSPRIT_E2E, path.join(os.tmpdir(), 'oracle', 'bin', 'e2e.test')]
  const found = known.find((file) => file !== undefined && existsSync(file))
  return found ?? goProgram('e2e.test', '.', ['test', '-c'])
}

/** What the suite would run, without running it. */
export function listSpecs(
  suite: string,
  { kubeconfig, focus, folder }: { kubeconfig: string; focus: string; folder: string },
): readonly Spec[] {
  const report = path.join(folder, 'list.json')
  runOrThrow(suite, [...suiteFlags(kubeconfig), '--ginkgo.dry-run', `--ginkgo.focus=${focus}`, `--ginkgo.json-report=${report}`], folder)
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

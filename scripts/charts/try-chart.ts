import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { isReady } from '../../src/controllers/pods/pod-state.ts'
import type { ImagePrograms } from '../../src/node/programs/program.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { ContainerStatus, Pod } from '../../src/resources/types/core.ts'
import { type Ended, runProgram } from '../../test/run-program.ts'
import { helmPath } from '../clients.ts'

/** What helm is asked to do with a chart, in this order; the rest is not tried where one fails. */
export type Step = 'install' | 'test' | 'upgrade' | 'rollback' | 'uninstall'

/** How it went. */
export interface ChartTrial {
  /** The steps that went well. */
  readonly done: readonly Step[]
  readonly failed?: { readonly step: Step; readonly why: string }
  /** Hooks of the release, tests among them. */
  readonly hooks: number
  /** Hooks that are tests. */
  readonly tests: number
  /** Pods that ran when everything was there, those of hooks left out that were gone by then. */
  readonly pods: number
  readonly ms: number
}

export interface TrialOptions {
  /** Values by their paths, as for `--set`. */
  readonly set?: Readonly<Record<string, string>>
  readonly images?: ImagePrograms
  readonly timeoutSeconds?: number
}

const RELEASE = 'trial'

/**
 * Installs a chart into a cluster of its own, tests, upgrades, rolls back and uninstalls it, each time waiting for the end of everything.
 */
export async function tryChart(chart: string, { set = {}, images = {}, timeoutSeconds = 60 }: TrialOptions = {}): Promise<ChartTrial> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-chart-'))
  const began = performance.now()
  await using cluster = await startCluster(
    { nodes: 3, ephemeral: true, images, port: 0, kubeconfig: path.join(home, 'kubeconfig') },
    { quiet: true },
  )
  try {
    await cluster.listen()
    const client = cluster.client()
    const env = {
      KUBECONFIG: path.join(home, 'kubeconfig'),
      HOME: home,
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
    }
    const helm = (...words: string[]) => runProgram(helmPath(), words, { env, timeoutMs: (timeoutSeconds + 60) * 1000 })
    const wait = ['--namespace', RELEASE, '--wait', `--timeout=${timeoutSeconds}s`]
    const values = Object.entries(set).flatMap(([at, value]) => ['--set', `${at}=${value}`])
    const done: Step[] = []
    let hooks = 0
    let tests = 0
    let pods = 0
    const outcome = (failed?: { step: Step; why: string }): ChartTrial => ({
      done,
      hooks,
      tests,
      pods,
      ms: performance.now() - began,
      ...(failed && { failed }),
    })
    const steps: readonly (readonly [Step, () => Promise<Ended>])[] = [
      ['install', () => helm('install', RELEASE, chart, ...wait, '--create-namespace', ...values)],
      ['test', () => helm('test', RELEASE, '--namespace', RELEASE, `--timeout=${timeoutSeconds}s`)],
      ['upgrade', () => helm('upgrade', RELEASE, chart, ...wait, ...values)],
      ['rollback', () => helm('rollback', RELEASE, '1', ...wait)],
      ['uninstall', () => helm('uninstall', RELEASE, ...wait)],
    ]
    for (const [step, run] of steps) {
      const { code, out, err } = await run()
      if (code !== 0) return outcome({ step, why: `${err.trim() || out.trim()}${await unready()}` })
      done.push(step)
      if (step !== 'install') continue
      const texts = await helm('get', 'hooks', RELEASE, '--namespace', RELEASE)
      const found = texts.out.split(/^---$/m).filter((text) => /helm\.sh\/hook"?:/.test(text))
      hooks = found.length
      tests = found.filter((text) => /helm\.sh\/hook"?: *"?test/.test(text)).length
      pods = (await client.list({ ...PODS, namespace: RELEASE })).items.length
    }
    return outcome()

    /** Who keeps helm waiting, and what they printed last. */
    async function unready(): Promise<string> {
      const { items } = await client.list(PODS)
      const waiting = items.filter((p) => p.status?.phase !== 'Succeeded' && !isReady(p))
      const reported = await Promise.all(
        waiting.map(async (p) => {
          const here = { namespace: p.metadata.namespace ?? '', name: p.metadata.name ?? '' }
          const logs = await Promise.all(containersOf(p).map(async (container) => `${container}: ${await lastLines(here, container)}`))
          return [here.name, ...reasonsOf(p), ...logs].join('; ')
        }),
      )
      return reported.length === 0 ? '' : ` (not ready: ${reported.join(' | ')})`
    }

    async function lastLines(pod: { readonly namespace: string; readonly name: string }, container: string): Promise<string> {
      let text = ''
      try {
        for await (const chunk of await client.logs(pod, { container, tailLines: 3 })) text += Buffer.from(chunk).toString()
      } catch {
        // It has not run.
      }
      return text.trim()
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const statusesOf = (pod: Pod): readonly ContainerStatus[] => [
  ...(pod.status?.initContainerStatuses ?? []),
  ...(pod.status?.containerStatuses ?? []),
]
const containersOf = (pod: Pod) =>
  statusesOf(pod)
    .filter(({ ready }) => !ready)
    .map(({ name }) => name)

function reasonsOf(pod: Pod): readonly string[] {
  const conditions = pod.status?.conditions ?? []
  const states = statusesOf(pod).filter(({ ready }) => !ready)
  return [
    ...conditions.flatMap(({ status, message }) => (status !== 'True' && message ? [message] : [])),
    ...states.map((s) => `${s.name}: ${JSON.stringify(s.state)}`),
  ]
}

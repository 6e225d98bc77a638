import type {
  FailedNode,
  PluginNode,
  PostFilterResult as SaidPostFilter,
  Verdict as SaidVerdict,
} from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Candidate, ExternalPlugin, OfferedNode } from '../framework/external-plugin.ts'
import { moreImportantFirst } from '../framework/importance.ts'
import type { FailedAttempt, PostFilterResult } from '../framework/plugin.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'
import type { VictimsQuestion } from './plugin-protocol.ts'
import type { PluginThread } from './plugin-thread.ts'

/** The calls of a plugin in a thread about nodes: PreFilter and Filter, also on trial (AddPod, RemovePod), PreScore and Score, Bind. */
export function externalPoints(name: string, thread: PluginThread, table: NodeTable): ExternalPlugin {
  return {
    name,
    isPlugin: true,
    interestedIn: () => true,
    async filter(pod, nodes) {
      const parts = await thread.parts()
      if (!parts.has('filter') && !parts.has('preFilter')) return { kept: new Set(nodes.map((n) => n.name)), verdicts: new Map() }
      const said = (await thread.ask(pod.pod, { point: 'filter', nodes: nodes.map(shown) })) as readonly (readonly [string, SaidVerdict])[]
      const verdicts = new Map<string, Verdict>()
      for (const [node, one] of said) {
        const found = verdictOf(name, one)
        if (found !== undefined) verdicts.set(node, found)
      }
      return { kept: new Set(nodes.map((n) => n.name).filter((node) => !verdicts.has(node))), verdicts }
    },
    async score(pod, nodes) {
      if (!(await thread.parts()).has('score')) return { byNode: new Map() }
      const said = (await thread.ask(pod.pod, { point: 'score', nodes: nodes.map(shown) })) as readonly (readonly [string, number])[]
      return { byNode: new Map(said.map(([node, score]) => [node, Number.isFinite(score) ? Math.trunc(score) : 0])) }
    },
    async victims(pod, candidates) {
      const parts = await thread.parts()
      if (!parts.has('filter') && !parts.has('preFilter')) return candidates
      const requested = candidates.flatMap((candidate) => questionFor(candidate, pod, table) ?? [])
      const said = (await thread.ask(pod.pod, { point: 'victims', candidates: requested.map((a) => a.question) })) as readonly (
        | readonly string[]
        | null
      )[]
      return requested.flatMap(({ candidate, lower }, i) => {
        const uids = said[i]
        return uids === null || uids === undefined ? [] : [{ ...candidate, victims: lower.filter((other) => uids.includes(other.uid)) }]
      })
    },
    async bind(pod, node) {
      if (!(await thread.parts()).has('bind')) return false
      return (await thread.ask(pod.pod, { point: 'bind', node })) === true
    },
  }
}

function questionFor(
  candidate: Candidate,
  pod: PodInfo,
  table: NodeTable,
): { readonly candidate: Candidate; readonly lower: readonly PodInfo[]; readonly question: VictimsQuestion } | undefined {
  const row = table.rowOf(candidate.node) ?? -1
  const node = table.nodes[row]
  if (node === undefined) return undefined
  const pods = table.pods[row] ?? new Set<PodInfo>()
  const lower = [...pods].filter((other) => other.priority < pod.priority).sort(moreImportantFirst)
  const question = {
    node: shown({ name: candidate.node, node, pods }),
    lower: lower.map((other) => other.uid),
    required: candidate.victims.map((other) => other.uid),
  }
  return { candidate, lower, question }
}

/** PostFilter of a plugin in a thread. */
export async function externalPostFilter(thread: PluginThread, attempt: FailedAttempt): Promise<PostFilterResult | undefined> {
  const { pod, context, verdictOf: verdictAt } = attempt
  if (!(await thread.parts()).has('postFilter')) return undefined
  const { table } = context
  const nodes: FailedNode[] = []
  for (let row = 0; row < table.rows; row++) {
    const node = table.nodes[row]
    if (node === undefined) continue
    const { plugin = '', reasons = [] } = verdictAt(row) ?? {}
    nodes.push({ ...shown({ name: table.names[row] ?? '', node, pods: table.pods[row] ?? [] }), plugin, reasons })
  }
  const said = (await thread.ask(pod.pod, { point: 'postFilter', nodes })) as SaidPostFilter | null
  if (said === undefined || said === null) return undefined
  if ('message' in said) return { kind: 'failed', message: said.message }
  const there = [...(table.pods[table.rowOf(said.node) ?? -1] ?? [])]
  return { kind: 'nominated', node: said.node, victims: there.filter((other) => said.victims?.includes(other.uid)) }
}

export function verdictOf(plugin: string, said: SaidVerdict | null): Verdict | undefined {
  if (said === undefined || said === null) return undefined
  if (typeof said === 'string') return unschedulable(plugin, said)
  return said.unresolvable === true ? unresolvable(plugin, said.reason) : unschedulable(plugin, said.reason)
}

const shown = ({ name, node, pods }: OfferedNode): PluginNode => ({ name, node, pods: [...pods].map((p) => p.pod) })

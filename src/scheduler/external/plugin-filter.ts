import type { Pod } from '../../resources/types/core.ts'
import type { PluginNode, PluginTools, SchedulerPlugin, Verdict } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import type { VictimsQuestion } from './plugin-protocol.ts'

/** PreFilter, then Filter for each node: the nodes that are turned down, and why. */
export async function filter(
  plugin: SchedulerPlugin,
  pod: Pod,
  nodes: readonly PluginNode[],
  tools: PluginTools,
): Promise<readonly (readonly [string, Verdict])[]> {
  const requested = await prepare(plugin, pod, nodes, tools)
  const verdicts: (readonly [string, Verdict])[] = []
  for (const node of nodes) {
    const verdict = await requested(node)
    if (verdict !== undefined) verdicts.push([node.name, verdict])
  }
  return verdicts
}

type Ask = ((node: PluginNode) => Promise<Verdict>) & { readonly tools: PluginTools }

async function prepare(plugin: SchedulerPlugin, pod: Pod, nodes: readonly PluginNode[], tools: PluginTools): Promise<Ask> {
  const before = await plugin.preFilter?.(pod, nodes, tools)
  const own = { ...tools, state: before?.state }
  const ask = async (node: PluginNode): Promise<Verdict> => {
    if (before?.reject !== undefined) return { reason: before.reject, unresolvable: true }
    if (before?.nodes?.includes(node.name) === false) return { reason: "node(s) didn't satisfy plugin's PreFilter", unresolvable: true }
    return plugin.filter?.(pod, node, own)
  }
  return Object.assign(ask, { tools: own })
}

/**
 * The pods that the plugin requires to leave, besides those that must leave anyway. All less important pods are removed and put back one by
 * one, the most important first; a pod stays if the filter then still accepts the node.
 */
export async function victims(
  plugin: SchedulerPlugin,
  pod: Pod,
  { node, lower, required }: VictimsQuestion,
  tools: PluginTools,
): Promise<readonly string[] | null> {
  const ask = await prepare(plugin, pod, [node], tools)
  const byUid = new Map(node.pods.map((other) => [other.metadata.uid ?? '', other]))
  const present = new Map(byUid)
  const now = (): PluginNode => ({ ...node, pods: [...present.values()] })
  const remove = async (uid: string) => {
    const other = byUid.get(uid)
    present.delete(uid)
    if (other !== undefined) await plugin.removePod?.(pod, other, now(), ask.tools)
  }
  for (const uid of lower) await remove(uid)
  if ((await ask(now())) !== undefined) return null
  const gone = new Set(required)
  for (const uid of lower) {
    const other = byUid.get(uid)
    if (gone.has(uid) || other === undefined) continue
    present.set(uid, other)
    await plugin.addPod?.(pod, other, now(), ask.tools)
    if ((await ask(now())) === undefined) continue
    await remove(uid)
    gone.add(uid)
  }
  return lower.filter((uid) => gone.has(uid))
}

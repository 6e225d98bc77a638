import type { EventKey } from '../../framework/cluster-event.ts'
import type { Hints, Plugin, PluginFactory, PluginFactoryContext } from '../../framework/plugin.ts'
import type { PreparedFilter } from '../../framework/prepared.ts'
import { unresolvable, unschedulable, type Verdict } from '../../framework/verdict.ts'

interface Part {
  readonly name: string
  readonly args?: Readonly<Record<string, unknown>>
}

/** `alwaysCheckAllPredicates`: one filter that runs all of its parts on a node, so that every reason is reported, not only the first. */
export function allPredicates(
  name: string,
  args: Readonly<Record<string, unknown>>,
  context: PluginFactoryContext,
  factoryOf: (name: string, args: unknown) => PluginFactory | undefined,
): Plugin {
  const { plugins = [] } = (args.allPredicates ?? {}) as { plugins?: readonly Part[] }
  const parts = plugins.flatMap((part) => factoryOf(part.name, part.args)?.(part.args ?? {}, context) ?? [])
  return {
    name,
    scope: 'cluster',
    filter(pod, at) {
      const prepared = parts.flatMap((part) => part.filter?.(pod, at) ?? [])
      if (prepared.length === 0) return undefined
      const refusals = prepared.flatMap((p) => p.refuse ?? [])
      const nodes = prepared.map((p) => p.nodes).filter((n) => n !== undefined)
      const [first, ...more] = nodes
      return {
        ...(refusals.length === 0 ? {} : { refuse: joined(name, refusals) }),
        ...(first === undefined ? {} : { nodes: more.reduce<ReadonlySet<string>>((a, b) => a.intersection(b), first) }),
        check: checkAll(name, prepared),
      }
    },
    ...hintsOf(parts),
  }
}

function checkAll(name: string, prepared: readonly PreparedFilter[]): (row: number) => Verdict | undefined {
  return (row) => {
    const verdicts = prepared.flatMap((p) => p.check?.(row) ?? [])
    return verdicts.length === 0 ? undefined : joined(name, verdicts)
  }
}

function joined(name: string, verdicts: readonly Verdict[]): Verdict {
  const reasons = [...new Set(verdicts.flatMap((v) => v.reasons))]
  return (verdicts.some((v) => v.code === 'unresolvable') ? unresolvable : unschedulable)(name, ...reasons)
}

/** What may help one of the parts may help; a part without hints may be helped by anything. */
function hintsOf(parts: readonly Plugin[]): { readonly hints?: Hints } {
  const filters = parts.filter((part) => part.filter !== undefined)
  if (filters.some((part) => part.hints === undefined)) return {}
  const keys = new Set(filters.flatMap((part) => Object.keys(part.hints ?? {}) as EventKey[]))
  const hints: { [key in EventKey]?: NonNullable<Hints[EventKey]> } = {}
  for (const key of keys) hints[key] = (pod, event, context) => filters.some((part) => part.hints?.[key]?.(pod, event, context) ?? false)
  return { hints }
}

import { giveTurn } from '../../../base/turns.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { isObject, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import { unifiedDiff } from '../../../resources/unified-diff.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ForkDifference } from '../../wire/lab-page.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { shownText } from '../../wire/shown-text.ts'
import { editedObject } from '../object/shown-object.ts'

/** The most differences of a fork that are shown, and characters of each. */
export const MAX_DIFFERENCES = 100
const MAX_DIFF = 4_000
/** They change by themselves, and are copies or reports of others. */
const LEFT_OUT = new Set(['leases', 'events', 'endpoints', 'componentstatuses'])

/** Objects that are different on a fork and on the cluster, with the text of the difference. */
export async function forkDifferences(origin: Client, fork: Client, kinds: readonly KindEntry[]): Promise<readonly ForkDifference[]> {
  const found: ForkDifference[] = []
  for (const kind of kinds) {
    if (LEFT_OUT.has(kind.resource) || kind.group === 'bowsprit.dev') continue
    await giveTurn()
    const [here, there] = await Promise.all([objectsOf(origin, kind), objectsOf(fork, kind)])
    for (const uid of new Set([...here.keys(), ...there.keys()])) {
      const [before, after] = [here.get(uid), there.get(uid)]
      if (sameState(kind, before, after)) continue
      found.push(differenceOf(kind, before, after))
      if (found.length > MAX_DIFFERENCES) return found
    }
  }
  return found
}

async function objectsOf(client: Client, { group, version, resource }: KindEntry): Promise<ReadonlyMap<string, Readonly<KubeObject>>> {
  try {
    const { items } = await client.list({ group, version, resource })
    return new Map(items.map((object) => [object.metadata.uid ?? '', object]))
  } catch {
    // An aggregated API that is down, or a kind that is gone on one of both: its objects are compared when it is back.
    return new Map()
  }
}

/** Both give out the same revisions after the fork, for different writes: a revision does not identify them. */
const sameState = (kind: KindEntry, a: Readonly<KubeObject> | undefined, b: Readonly<KubeObject> | undefined): boolean =>
  a !== undefined && b !== undefined && (a === b || equalJson(comparedObject(a, kind), comparedObject(b, kind)))

/** As it is edited, without the times of a node's last heartbeats. */
function comparedObject(object: Readonly<KubeObject>, kind: KindEntry): JsonObject {
  const edited = editedObject(object, kind)
  const { status } = edited
  if (!isObject(status) || !Array.isArray(status.conditions)) return edited
  const conditions = status.conditions.map((condition) => {
    if (!isObject(condition)) return condition
    const { lastHeartbeatTime: _, ...rest } = condition
    return rest
  })
  return { ...edited, status: { ...status, conditions } }
}

function differenceOf(kind: KindEntry, before: Readonly<KubeObject> | undefined, after: Readonly<KubeObject> | undefined): ForkDifference {
  const { namespace = '', name = '' } = (after ?? before)?.metadata ?? {}
  const { group, version, resource } = kind
  const lines = (object: Readonly<KubeObject> | undefined) =>
    object === undefined ? [] : encodeYaml(comparedObject(object, kind)).trimEnd().split('\n')
  return {
    group,
    version,
    resource,
    kind: kind.kind,
    namespace,
    name,
    change: before === undefined ? 'only there' : after === undefined ? 'only here' : 'different',
    diff: before === undefined || after === undefined ? '' : shownText(unifiedDiff(lines(before), lines(after)), MAX_DIFF),
  }
}

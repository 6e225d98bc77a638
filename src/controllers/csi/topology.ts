import type { Node, VolumeNodeAffinity } from '../../resources/types/core.ts'
import type { CSINode } from '../../resources/types/storage.ts'
import type { TopologyRequirement } from '../../sdk/csi/controller-service.ts'
import type { Topology } from '../../sdk/csi/volume.ts'

export interface TopologyView {
  readonly driver: string
  readonly csiNodes: readonly CSINode[]
  readonly node: (name: string) => Node | undefined
  /** The node that the scheduler has chosen. */
  readonly selected: string | undefined
}

/**
 * From where a new volume has to be reached; the first of the preferred places is the best. undefined: no node has the driver yet. Pure.
 */
export function topologyRequirement({ driver, csiNodes, node, selected }: TopologyView): TopologyRequirement | undefined {
  if (selected !== undefined) {
    const of = csiNodes.filter(({ metadata }) => metadata.name === selected)
    const [best] = placesOf({ driver, csiNodes: of, node })
    return best && { requisite: [best], preferred: [best] }
  }
  const all = placesOf({ driver, csiNodes, node })
  return all.length === 0 ? undefined : { requisite: all, preferred: all }
}

/** Where the nodes with the driver are, each place once. Pure. */
export function placesOf({ driver, csiNodes, node }: Omit<TopologyView, 'selected'>): readonly Topology[] {
  const places = new Map<string, Topology>()
  for (const { metadata, spec } of csiNodes) {
    const keys = spec.drivers?.find((d) => d.name === driver)?.topologyKeys ?? []
    const labels = node(metadata.name ?? '')?.metadata.labels ?? {}
    if (keys.length === 0 || keys.some((key) => labels[key] === undefined)) continue
    const place = { segments: new Map(keys.map((key) => [key, labels[key] ?? ''])) }
    places.set(JSON.stringify([...place.segments]), place)
  }
  return [...places.values()]
}

/** The nodes that reach a volume. Pure. */
export const affinityOf = (places: readonly Topology[]): VolumeNodeAffinity | undefined =>
  places.length === 0
    ? undefined
    : {
        required: {
          nodeSelectorTerms: places.map(({ segments }) => ({
            matchExpressions: [...segments].map(([key, value]) => ({ key, operator: 'In', values: [value] })),
          })),
        },
      }

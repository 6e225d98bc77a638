import { semanticEqual } from '../../machinery/equal.ts'
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { FlexDrivers } from '../../sdk/flex-volume/flex-drivers.ts'
import type { CreateController } from '../frame/controller.ts'
import { defineController } from '../frame/define-controller.ts'
import { reconcileFlexVolumes } from './reconcile-flex.ts'

/** Its events have the name of Kubernetes' controller. */
const NAME = 'attachdetach-controller'
/** As upstream's. */
const RETRY = { firstMs: 500, maxMs: 122_000 } as const

/** Attaches the volumes of FlexVolume drivers, which are programs in a folder of this machine. */
export const createFlexController = (folder: string): CreateController =>
  defineController({
    name: 'flex-volume-attach-detach',
    for: NODES,
    workers: 5,
    retry: RETRY,
    deps: ({ client, informers, events, clock, log }) => ({
      client,
      events: events(NAME),
      pods: informers.of(PODS),
      claims: informers.of(PERSISTENT_VOLUME_CLAIMS),
      volumes: informers.of(PERSISTENT_VOLUMES),
      drivers: new FlexDrivers({ folder, clock, log }),
    }),
    when: (node, _, old) =>
      !semanticEqual(node.status?.volumesInUse, old?.status?.volumesInUse) ||
      !semanticEqual(node.status?.volumesAttached, old?.status?.volumesAttached),
    watch({ pods, claims }, keys) {
      const podChanged = ({ spec }: Pod) => {
        if (spec.nodeName && spec.volumes?.some((v) => v.flexVolume ?? v.persistentVolumeClaim)) keys.add(spec.nodeName)
      }
      pods.addHandler({ added: podChanged, updated: podChanged, deleted: podChanged })
      claims.addHandler({
        updated(claim, old) {
          if (claim.status?.phase !== old.status?.phase) for (const pod of pods.list(claim.metadata.namespace ?? '')) podChanged(pod)
        },
      })
    },
    reconcile: reconcileFlexVolumes,
  })

import { ignoring } from '../../machinery/ignoring.ts'
import { classNameOf, SELECTED_NODE } from '../../resources/core/claim-annotations.ts'
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { volumeNameOf } from '../volumes/provisioned-volume.ts'
import { planProvision } from './plan.ts'

/** How often a claim that was refused is tried again. */
const RETRY_MS = 15_000

export interface ProvisionDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly volumes: Informer<PersistentVolume>
  readonly classes: Informer<StorageClass>
}

export async function provision(deps: ProvisionDeps, claim: PersistentVolumeClaim): Promise<ReconcileResult> {
  const { client, events, volumes, classes } = deps
  if (volumes.get(volumeNameOf(claim)) !== undefined) return undefined
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  const node = selected ? await client.get<Node>({ ...NODES, name: selected }).catch(ignoring('NotFound')) : undefined
  const plan = planProvision({ claim, storageClass: classes.get(classNameOf(claim)), node })
  if (plan.kind === 'keep') return undefined
  const { namespace = '', name = '', resourceVersion = '' } = claim.metadata
  events.normal(claim, 'Provisioning', `External provisioner is provisioning volume for claim "${namespace}/${name}"`)
  switch (plan.kind) {
    case 'provision':
      await createObject(client, PERSISTENT_VOLUMES, plan.volume).catch(ignoring('AlreadyExists'))
      events.normal(claim, 'ProvisioningSucceeded', `Successfully provisioned volume ${plan.volume.metadata.name}`)
      return undefined
    case 'refuse':
      events.warning(claim, 'ProvisioningFailed', plan.message)
      return { requeueAfterMs: RETRY_MS }
    case 'choose again': {
      events.warning(claim, 'ProvisioningFailed', plan.message)
      const metadata = { resourceVersion, annotations: { [SELECTED_NODE]: null } }
      await client.patch(targetOf(PERSISTENT_VOLUME_CLAIMS, claim), 'merge', { metadata })
      return undefined
    }
  }
}

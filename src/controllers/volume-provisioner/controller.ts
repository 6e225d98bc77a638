import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { classNameOf, SELECTED_NODE } from '../../resources/core/claim-annotations.ts'
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { DRIVER, SIMULATED } from './default-class.ts'
import { FINALIZER, isAsked, planProvision, planVolume, volumeNameOf } from './plan.ts'
import { resizeClaim } from './resize-claim.ts'

/** How often a claim that cannot be served is tried again. */
const RETRY_MS = 15_000

/** Makes, enlarges and deletes volumes that exist only here, for claims whose class names the simulated provisioner. */
export function createVolumeProvisioner(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const classes = informers.of(STORAGE_CLASSES)
  const events = deps.recorder(SIMULATED)
  const resizer = deps.recorder(`external-resizer ${DRIVER}`)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  claims.addHandler({ added: enqueue, updated: enqueue })
  volumes.addHandler({ added: enqueue, updated: enqueue })
  const waiting = () => {
    for (const claim of claims.list()) if (isAsked(claim)) enqueue(claim)
  }
  classes.addHandler({ added: waiting, updated: waiting })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const claim = claims.get(key)
    if (claim !== undefined && isAsked(claim)) return provision(claim)
    if (claim !== undefined) {
      await resizeClaim(claim, volumes.get(claim.spec?.volumeName ?? ''), { client, events: resizer, nowMs: clock.now() })
      return undefined
    }
    const volume = volumes.get(key)
    if (volume !== undefined) await keepVolume(volume)
    return undefined
  }

  async function provision(claim: KubeObject): Promise<{ requeueAfterMs: number } | undefined> {
    if (volumes.get(volumeNameOf(claim)) !== undefined) return undefined
    const selected = claim.metadata.annotations?.[SELECTED_NODE]
    const node = selected ? await orNone(client.get({ ...NODES, name: selected })) : undefined
    const plan = planProvision({ claim, storageClass: classes.get(classNameOf(claim)), node })
    const { namespace = '', name = '', resourceVersion = '' } = claim.metadata
    const say = (type: 'Normal' | 'Warning', reason: string, message: string) =>
      events.record({ regarding: referenceTo(claim), type, reason, message })
    if (plan.kind === 'keep') return undefined
    say('Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${namespace}/${name}"`)
    switch (plan.kind) {
      case 'provision':
        await client.create(PERSISTENT_VOLUMES, plan.volume).catch((error) => {
          if (!isStatus(error, 'AlreadyExists')) throw error
        })
        say('Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${plan.volume.metadata.name}`)
        return undefined
      case 'refuse':
        say('Warning', 'ProvisioningFailed', plan.message)
        return { requeueAfterMs: RETRY_MS }
      case 'choose again': {
        say('Warning', 'ProvisioningFailed', plan.message)
        const metadata = { resourceVersion, annotations: { [SELECTED_NODE]: null } }
        await client.patch({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, 'merge', { metadata })
        return undefined
      }
    }
  }

  async function keepVolume(volume: KubeObject): Promise<void> {
    const plan = planVolume(volume)
    const { name = '', finalizers = [], resourceVersion = '' } = volume.metadata
    const target = { ...PERSISTENT_VOLUMES, name }
    switch (plan.kind) {
      case 'keep':
        return
      case 'finalizers':
        await orNone(client.patch(target, 'merge', { metadata: { resourceVersion, finalizers: plan.finalizers } }))
        return
      case 'delete':
        if (volume.metadata.deletionTimestamp === undefined) await orNone(client.delete(target))
        if (finalizers.includes(FINALIZER)) await orNone(client.patch(target, 'json', dropFinalizer(finalizers)))
        return
    }
  }

  return queueController({ name: 'volume-provisioner', queue, workers: 8, copies: [claims, volumes, classes], reconcile, log })
}

/** Takes our name from the list, if it still stands where it was seen. */
function dropFinalizer(finalizers: readonly string[]) {
  const path = `/metadata/finalizers/${finalizers.indexOf(FINALIZER)}`
  return [
    { op: 'test', path, value: FINALIZER },
    { op: 'remove', path },
  ]
}

async function orNone<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error) => {
    if (!isStatus(error, 'NotFound')) throw error
    return undefined
  })
}

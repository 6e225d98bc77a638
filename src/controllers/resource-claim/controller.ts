import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claimFor, FINALIZER, isDone, POD_CLAIM_NAME, type PodClaimEntry, type PodState, planClaim, podsOf } from './plan.ts'

const NAME = 'resource-claim-controller'

/** Makes the claims of pods from templates, and gives back the devices of claims that nobody uses any more. */
export function createResourceClaimController({ client, clock, informers, recorder, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const pods = informers.of(PODS)
  const claims = informers.of(RESOURCE_CLAIMS)
  const templates = informers.of(RESOURCE_CLAIM_TEMPLATES)
  const events = recorder('resource_claim')
  const entriesOf = (pod: KubeObject): readonly PodClaimEntry[] => pod.spec?.resourceClaims ?? []

  const podChanged = (pod: KubeObject) => {
    if (entriesOf(pod).length > 0) queue.add(`pod ${objectKey(pod)}`)
    for (const name of claimNames(pod)) queue.add(`claim ${pod.metadata.namespace}/${name}`)
  }
  const claimChanged = (claim: KubeObject) => queue.add(`claim ${objectKey(claim)}`)
  const templateChanged = (template: KubeObject) => {
    for (const pod of pods.list(template.metadata.namespace))
      if (entriesOf(pod).some((e) => e.resourceClaimTemplateName === template.metadata.name)) podChanged(pod)
  }
  pods.addHandler({ added: podChanged, updated: podChanged, deleted: podChanged })
  claims.addHandler({ added: claimChanged, updated: claimChanged })
  templates.addHandler({ added: templateChanged, updated: templateChanged })

  function claimNames(pod: KubeObject): readonly string[] {
    const made: readonly { resourceClaimName?: string }[] = pod.status?.resourceClaimStatuses ?? []
    const special: string | undefined = pod.status?.extendedResourceClaimStatus?.resourceClaimName
    return [
      ...entriesOf(pod).flatMap((e) => e.resourceClaimName ?? []),
      ...made.flatMap((s) => s.resourceClaimName ?? []),
      ...(special === undefined ? [] : [special]),
    ]
  }

  async function reconcile(key: string): Promise<undefined> {
    const [what, name = ''] = key.split(' ')
    if (what === 'pod') {
      await makeClaims(name)
      await reserveForPlaced(name)
    } else await settleClaim(name)
    return undefined
  }

  async function makeClaims(key: string): Promise<void> {
    const pod = pods.get(key)
    if (pod === undefined || isDone(pod) || pod.metadata.deletionTimestamp !== undefined) return
    const { namespace = '', name = '' } = pod.metadata
    const known: readonly { name: string; resourceClaimName?: string }[] = pod.status?.resourceClaimStatuses ?? []
    const made: { name: string; resourceClaimName: string }[] = []
    for (const entry of entriesOf(pod)) {
      if (entry.resourceClaimTemplateName === undefined) continue
      const before = known.find((s) => s.name === entry.name)
      // Made for a pod that turned out to need none; or still there.
      if (before !== undefined && (before.resourceClaimName === undefined || isFor(before.resourceClaimName, pod))) continue
      const claim = existing(pod, entry) ?? (await create(pod, entry))
      made.push({ name: entry.name, resourceClaimName: claim.metadata.name ?? '' })
    }
    if (made.length === 0) return
    const kept = known.filter((s) => !made.some((m) => m.name === s.name))
    const status = { resourceClaimStatuses: [...kept, ...made] }
    await client.patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', {
      metadata: { uid: pod.metadata.uid ?? '' },
      status,
    })
  }

  /** A pod that was given its node by other hands than the scheduler's uses its claims all the same. */
  async function reserveForPlaced(key: string): Promise<void> {
    const pod = pods.get(key)
    if (pod === undefined || isDone(pod) || (pod.spec?.nodeName ?? '') === '') return
    const { namespace = '', name = '', uid = '' } = pod.metadata
    for (const claimName of claimNames(pod)) {
      const claim = claims.get(`${namespace}/${claimName}`)
      const reservedFor: readonly { uid: string }[] = claim?.status?.reservedFor ?? []
      if (claim?.status?.allocation === undefined || reservedFor.some((r) => r.uid === uid)) continue
      const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name, uid }] }
      await client.update({ ...RESOURCE_CLAIMS, namespace, name: claimName, subresource: 'status' }, { ...claim, status })
    }
  }

  /** Whether a claim was made for the pod; one that somebody deleted by mistake is made anew. */
  const isFor = (name: string, pod: KubeObject) =>
    claims
      .get(`${pod.metadata.namespace}/${name}`)
      ?.metadata.ownerReferences?.some((o) => o.controller === true && o.uid === pod.metadata.uid) === true

  const existing = (pod: KubeObject, entry: PodClaimEntry) =>
    claims
      .list(pod.metadata.namespace)
      .find(
        (c) =>
          c.metadata.annotations?.[POD_CLAIM_NAME] === entry.name &&
          c.metadata.ownerReferences?.some((o) => o.controller === true && o.uid === pod.metadata.uid),
      )

  async function create(pod: KubeObject, entry: PodClaimEntry): Promise<Readonly<KubeObject>> {
    const { namespace = '' } = pod.metadata
    const wanted = entry.resourceClaimTemplateName ?? ''
    const template = templates.get(`${namespace}/${wanted}`)
    if (template === undefined) {
      const message = `resource claim template "${wanted}": resourceclaimtemplate.resource.k8s.io "${wanted}" not found`
      events.record({
        regarding: referenceTo(pod),
        type: 'Warning',
        reason: 'FailedResourceClaimCreation',
        message: `PodResourceClaim ${entry.name}: ${message}`,
      })
      throw new Error(message)
    }
    return client.create({ ...RESOURCE_CLAIMS, namespace }, claimFor(pod, entry, template))
  }

  /** A pod that is not known yet may have been placed this moment: the server is asked before it is given up. */
  async function stateOf(namespace: string, name: string, uid: string): Promise<PodState> {
    const known = pods.get(`${namespace}/${name}`)
    const pod =
      known ??
      (await client.get({ ...PODS, namespace, name }).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
        return undefined
      }))
    return pod?.metadata.uid !== uid ? 'gone' : isDone(pod) ? 'done' : 'alive'
  }

  function ownerStateOf({ metadata }: KubeObject): PodState {
    const owner = metadata.ownerReferences?.find((o) => o.controller === true && o.kind === 'Pod')
    const pod = owner === undefined ? undefined : pods.get(`${metadata.namespace}/${owner.name}`)
    if (pod === undefined) return 'unknown'
    return pod.metadata.uid !== owner?.uid || isDone(pod) ? 'done' : 'alive'
  }

  async function settleClaim(key: string): Promise<void> {
    const claim = claims.get(key)
    if (claim === undefined) return
    const { namespace = '', name = '', uid } = claim.metadata
    const states = new Map<string, PodState>()
    for (const pod of podsOf(claim)) states.set(pod.uid, await stateOf(namespace, pod.name, pod.uid))
    const plan = planClaim(claim, (of) => states.get(of) ?? 'unknown', ownerStateOf(claim))
    const target = { ...RESOURCE_CLAIMS, namespace, name }
    if (plan.kind === 'keep') return
    if (plan.kind === 'delete') {
      await client.delete(target, uid === undefined ? {} : { preconditions: { uid } }).catch(ignoreGone)
      return
    }
    const { allocation, devices, reservedFor: _, ...rest } = claim.status ?? {}
    const kept = plan.deallocate ? rest : { ...rest, allocation, ...(devices === undefined ? {} : { devices }) }
    const status = { ...kept, ...(plan.reservedFor.length === 0 ? {} : { reservedFor: plan.reservedFor }) }
    let current = await client.update({ ...target, subresource: 'status' }, { ...claim, status })
    if (plan.release) {
      const finalizers = (current.metadata.finalizers ?? []).filter((f) => f !== FINALIZER)
      current = await client.update(target, { ...current, metadata: { ...current.metadata, finalizers } })
    }
    queue.add(`claim ${key}`)
  }

  return queueController({ name: NAME, queue, copies: [pods, claims, templates], reconcile, log })
}

function ignoreGone(error: unknown): void {
  if (!isStatus(error, 'NotFound', 'Conflict')) throw error
}

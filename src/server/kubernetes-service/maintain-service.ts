import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { ServerTools } from '../../apiserver/extension-points.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { readObject } from '../../resources/read-objects.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../resources/refs.ts'
import { type BootstrapConfig, kubernetesService } from '../bootstrap/bootstrap-objects.ts'
import { planEndpoints, planSlice, type ServedAt } from './plan-endpoints.ts'
import type { ServerAddresses } from './server-addresses.ts'
import type { Upkeep } from './upkeep.ts'

export interface KeepServiceDeps {
  readonly reader: Reader
  readonly definitions: Pick<ResourceRegistry, 'served'>
  /** A transport to the server, as a member of system:masters. */
  readonly transport: ReturnType<ServerTools['transport']>
  /** Undefined: this server has no address for Endpoints, and leaves them alone. */
  readonly addresses: ServerAddresses | undefined
  /** Where the server listens at its address: another port than that of the service, if that was any free one. */
  port(): number
  readonly log: Logger
}

const WHERE = { namespace: 'default', name: 'kubernetes' }
const QUERY = { fieldManager: 'kube-apiserver' }

/** Maintains the service `kubernetes` and its endpoints. */
export function keepKubernetesService(config: BootstrapConfig, deps: KeepServiceDeps): Pick<Upkeep, 'sync' | 'leave'> {
  const { reader, definitions, transport, addresses, port, log } = deps
  const find = <T extends KubeObject>(ref: ResourceRef<T>) => readObject(reader, ref, WHERE.namespace, WHERE.name)
  const served = ({ group, version, resource }: ResourceRef) => definitions.served(group, version, resource) !== undefined

  async function create({ group, version, resource }: ResourceRef, body: KubeObject) {
    const target = { group, version, resource, namespace: WHERE.namespace }
    // Another server of the same cluster was faster.
    await transport.call({ verb: 'create', target, query: QUERY, body }).catch(ignoring('AlreadyExists'))
  }

  const update = (ref: ResourceRef, body: KubeObject) =>
    transport.call({ verb: 'update', target: { ...ref, ...WHERE }, query: QUERY, body })

  async function write(at: ServedAt, resetPorts: boolean) {
    const present = find(ENDPOINTS)
    const wanted = planEndpoints(present, at, { resetPorts })
    if (wanted !== undefined) await (present === undefined ? create(ENDPOINTS, wanted) : update(ENDPOINTS, wanted))
    const endpoints = wanted ?? present
    if (endpoints === undefined || !served(ENDPOINT_SLICES)) return
    const plan = planSlice(find(ENDPOINT_SLICES), endpoints)
    if (plan.kind === 'replace') await transport.call({ verb: 'delete', target: { ...ENDPOINT_SLICES, ...WHERE }, query: {} })
    if (plan.kind === 'update') await update(ENDPOINT_SLICES, plan.slice)
    else if (plan.kind !== 'right') await create(ENDPOINT_SLICES, plan.slice)
  }

  /** The port that this server has written. */
  let written: number | undefined

  async function look() {
    if (served(SERVICES) && find(SERVICES) === undefined) await create(SERVICES, kubernetesService(config))
    if (addresses === undefined || !served(ENDPOINTS)) return
    const at = port()
    // A server that crashed may have listened on another port.
    await write({ addresses: await addresses.renew(), port: at }, addresses.alone && at !== written)
    written = at
  }

  const sync = () => look().catch((error: unknown) => log.warn('unable to sync the service kubernetes', { error: messageOf(error) }))
  return {
    sync,
    async leave() {
      if (addresses === undefined) return
      try {
        const stay = await addresses.leave()
        if (served(ENDPOINTS)) await write({ addresses: stay, port: port() }, true)
      } catch (error) {
        log.warn('this server is still in the endpoints of the service kubernetes', { error: messageOf(error) })
      }
    },
  }
}

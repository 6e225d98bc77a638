import { type Clock, holding } from '../../base/clock.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { INGRESSES, NAMESPACES, SECRETS, SERVICES } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { EventRecorder } from '../../sdk/controller/event-recorder.ts'
import type { ServerPart } from '../server/server-part.ts'
import type { DialServiceDeps } from './dial-service.ts'
import { GATEWAY_CLASSES, GATEWAY_CONTROLLER, GATEWAYS, HTTP_ROUTES, REFERENCE_GRANTS } from './gateway/gateway-types.ts'
import { controllerOf } from './gateway/read-objects.ts'
import { hasMachinePorts } from './machine-ports.ts'

const GATEWAY_KINDS = [GATEWAY_CLASSES, GATEWAYS, HTTP_ROUTES, REFERENCE_GRANTS]

export interface FollowAddressesDeps extends Omit<DialServiceDeps, 'reader'> {
  readonly serverPart: Pick<ServerPart, 'watchCache'>
  /** May patch the status of services and Ingresses. */
  readonly client: Client
  /** The port of the API server, from which the addresses of load balancers are made. Undefined: from the number of this process. */
  readonly serverPort: number | undefined
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Gives services, Ingresses and Gateways addresses on this machine until it is disposed. The code of each is loaded for the first object
 * that wants one.
 */
export function followAddresses(given: FollowAddressesDeps): AsyncDisposable {
  const { watchCache } = given.serverPart
  const { reader } = watchCache
  const held = new HeldResources()
  const deps = { ...given, reader }
  const services = loadedOnce(given, held, async (recorder) => {
    const { ServiceAddresses } = await import('./service-addresses.ts')
    return new ServiceAddresses({ ...deps, recorder, number: given.serverPort ?? process.pid & 0xffff })
  })
  const ingresses = loadedOnce(given, held, async (recorder) => {
    const { IngressController } = await import('./ingress/ingress-controller.ts')
    return new IngressController({ ...deps, recorder })
  })
  const gateways = loadedOnce(given, held, async () => {
    const { GatewayController } = await import('./gateway/gateway-controller.ts')
    return new GatewayController(deps)
  })
  const lookAtService = ({ namespace = '', name = '' }: ObjectMeta) => {
    const service = readObject(reader, SERVICES, namespace, name)
    // Once one service has ports, each change may be that it loses them.
    if (services.isLoaded() || (service !== undefined && hasMachinePorts(service)))
      services.use((addresses) => addresses.follow(namespace, name))
  }
  const lookAtIngresses = () => {
    if (ingresses.isLoaded() || listObjects(reader, INGRESSES).length > 0) ingresses.use((controller) => controller.changed())
  }
  // The definitions of its kinds are the user's: there is nothing before a class names our controller.
  const lookAtGateways = () => {
    const isWanted = () => listObjects<KubeObject>(reader, GATEWAY_CLASSES).some((one) => controllerOf(one) === GATEWAY_CONTROLLER)
    if (gateways.isLoaded() || isWanted()) gateways.use((controller) => controller.changed())
  }
  held.defer(watchCache.onChange('', 'services', (service, old) => lookAtService((service ?? old)?.metadata ?? {})))
  for (const { group, resource } of GATEWAY_KINDS) held.defer(watchCache.onChange(group, resource, lookAtGateways))
  for (const { group, resource } of [SERVICES, SECRETS, NAMESPACES])
    held.defer(watchCache.onChange(group, resource, () => gateways.isLoaded() && lookAtGateways()))
  held.defer(watchCache.onChange('networking.k8s.io', 'ingresses', lookAtIngresses))
  held.defer(watchCache.onChange('networking.k8s.io', 'ingressclasses', lookAtIngresses))
  for (const { metadata } of listObjects(reader, SERVICES)) lookAtService(metadata)
  lookAtIngresses()
  lookAtGateways()
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all([services.loading(), ingresses.loading(), gateways.loading()])
      await held[Symbol.asyncDispose]()
    },
  }
}

/** A part that is loaded with its first use, and disposed with `held`. */
function loadedOnce<T extends AsyncDisposable>(
  { client, clock, log }: FollowAddressesDeps,
  held: HeldResources,
  load: (recorder: EventRecorder) => Promise<T>,
) {
  let loading: Promise<T | undefined> | undefined
  const begin = async () => {
    const { createCoreRecorder } = await import('../../sdk/controller/core-recorder.ts')
    const recorder = createCoreRecorder({ client, clock, log, component: 'service-addresses' })
    const stop = new AbortController()
    const recording = recorder.run(stop.signal)
    held.defer(() => recording)
    held.defer(() => stop.abort())
    return held.use(await load(recorder))
  }
  return {
    isLoaded: () => loading !== undefined,
    loading: async () => void (await loading),
    /** An error of loading is logged, once. */
    use(callback: (part: T) => unknown): void {
      loading ??= holding(clock, 'loading the addresses of services', begin).catch((error: unknown) => {
        log.error('services get no addresses on this machine', { error })
        return undefined
      })
      void loading.then((part) => part && callback(part))
    },
  }
}

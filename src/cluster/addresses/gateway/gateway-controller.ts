import type { Server } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../../base/clock.ts'
import { timestamp } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { listObjects, readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { DialServiceDeps } from '../dial-service.ts'
import { whyNotOpened } from '../listen-on.ts'
import { listenNear } from '../proxy/listen-near.ts'
import { createProxyServer } from '../proxy/proxy-server.ts'
import { SecretCertificates } from '../proxy/secret-certificates.ts'
import { type Fact, fact } from './conditions.ts'
import { GATEWAY_CLASSES, GATEWAY_CONTROLLER, GATEWAYS, HTTP_ROUTES, type ObjectRef } from './gateway-types.ts'
import { type PlannedListener, planListeners } from './plan-listeners.ts'
import { planRoutes, type RoutePlan } from './plan-routes.ts'
import { controllerOf } from './read-objects.ts'
import { readWorld } from './read-world.ts'
import { routeRequest, type ServedPort } from './route-request.ts'
import { hostsOf, RouteTable } from './route-table.ts'
import { classStatus, gatewayStatus, routeStatus } from './statuses.ts'

export interface GatewayControllerDeps extends DialServiceDeps {
  /** May patch the statuses. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
}

const HOST = '127.0.0.1'
/** Where a port is open that this user may not open, or that another program has: 80 at 20080. */
const OTHER_PORTS = 20_000

interface OpenedPort {
  readonly server: Server
  /** Undefined: it could not be opened. */
  readonly opened: Promise<number | undefined>
  served: ServedPort
  certificates: ReadonlyMap<string, ObjectRef>
  why?: string
}

/** Serves the Gateways of the classes that name this controller, with their HTTPRoutes, and writes their statuses. */
export class GatewayController implements AsyncDisposable {
  readonly #deps: GatewayControllerDeps
  readonly #certificates = new SecretCertificates()
  /** By the port and the protocol of the listeners. */
  readonly #ports = new Map<string, OpenedPort>()
  #syncs: Promise<void> = Promise.resolve()
  #isSyncDue = false
  #closed = false

  constructor(deps: GatewayControllerDeps) {
    this.#deps = deps
  }

  /** After any of the objects has changed: all of it is planned again. */
  changed(): void {
    if (this.#isSyncDue) return
    this.#isSyncDue = true
    this.#syncs = this.#syncs
      .then(() => (this.#closed ? undefined : this.#sync()))
      .catch((error: unknown) => this.#deps.log.warn('Gateways could not be served', { error }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.#syncs
    for (const key of [...this.#ports.keys()]) this.#close(key)
  }

  async #sync(): Promise<void> {
    this.#isSyncDue = false
    const { reader } = this.#deps
    const classes = listObjects<KubeObject>(reader, GATEWAY_CLASSES).filter((one) => controllerOf(one) === GATEWAY_CONTROLLER)
    const world = readWorld(reader, {
      classes: new Set(classes.map(({ metadata }) => metadata.name ?? '')),
      hasCertificate: (ref) => this.#certificateOf(ref) !== undefined,
    })
    const listeners = planListeners(world.gateways, world)
    const routes = planRoutes(listeners, world)
    this.#open(listeners, routes)
    const now = timestamp(this.#deps.clock.now())
    for (const one of classes) await this.#write(GATEWAY_CLASSES, one.metadata, one.status, classStatus(one, now))
    for (const gateway of world.gateways) {
      const own = listeners.filter((planned) => planned.gateway === gateway)
      const planned = await Promise.all(
        own.map(async (each) => ({
          ...each,
          attached: (routes.attached.get(each) ?? []).length,
          programmed: await this.#programmed(each),
        })),
      )
      await this.#write(GATEWAYS, gateway, gateway.status, gatewayStatus(gateway, planned, { host: HOST, now }))
    }
    for (const route of world.routes) {
      const status = routeStatus(route, routes.parents.get(route) ?? [], now)
      if (status !== undefined) await this.#write(HTTP_ROUTES, route, route.status, status)
    }
  }

  /** Opens, changes and closes ports, so that they serve these listeners. */
  #open(listeners: readonly PlannedListener[], { attached, refused }: RoutePlan): void {
    const usable = listeners.filter((planned) => planned.usable)
    const groups = Map.groupBy(usable, ({ listener }) => keyOf(listener))
    for (const key of [...this.#ports.keys()]) if (!groups.has(key)) this.#close(key)
    for (const [key, group] of groups) {
      const [first] = group
      if (first === undefined) continue
      const { port, protocol } = first.listener
      const tables = new Map(group.map((planned) => [planned.listener.hostname, new RouteTable(attached.get(planned) ?? [])]))
      const served: ServedPort = { port, secure: protocol === 'HTTPS', tables, refused }
      const certificates = new Map(
        group.flatMap(({ listener }) => listener.certificates.slice(0, 1).map((ref) => [listener.hostname, ref])),
      )
      const open = this.#ports.get(key)
      if (open === undefined) this.#ports.set(key, this.#newPort(served, certificates))
      else Object.assign(open, { served, certificates })
    }
  }

  #newPort(served: ServedPort, certificates: ReadonlyMap<string, ObjectRef>): OpenedPort {
    const certificateOf = (host: string) => {
      const at = hostsOf(host).find((each) => port.certificates.has(each))
      const ref = at === undefined ? undefined : port.certificates.get(at)
      return ref && this.#certificateOf(ref)
    }
    const server = createProxyServer({
      decide: (request) => routeRequest(request, port.served, this.#deps),
      certificateOf: served.secure ? certificateOf : undefined,
    })
    const wanted = [served.port, served.port + OTHER_PORTS, 0].filter((number) => number <= 65_535)
    const opened = listenNear(server, HOST, wanted).catch((error: unknown) => {
      port.why = whyNotOpened(error)
      return undefined
    })
    const port: OpenedPort = { server, opened, served, certificates }
    return port
  }

  #close(key: string): void {
    const server = this.#ports.get(key)?.server
    server?.closeAllConnections()
    server?.close()
    this.#ports.delete(key)
  }

  async #programmed({ listener, usable }: PlannedListener): Promise<Fact> {
    const port = usable ? this.#ports.get(keyOf(listener)) : undefined
    if (port === undefined) return fact('Programmed', false, 'Invalid', 'the listener is not served')
    const number = await port.opened
    if (number === undefined) return fact('Programmed', false, 'Pending', `its port is not open on this machine: ${port.why}`)
    const url = `${port.served.secure ? 'https' : 'http'}://${listener.hostname.replace(/^\*/, 'any') || 'localhost'}:${number}/`
    return fact('Programmed', true, 'Programmed', `${url} on this machine`)
  }

  #certificateOf({ namespace, name }: ObjectRef): SecureContext | undefined {
    const secret = readObject(this.#deps.reader, SECRETS, namespace, name)
    return secret && this.#certificates.of(secret)
  }

  async #write(
    ref: ResourceRef,
    { namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string },
    before: unknown,
    status: object,
  ) {
    if (JSON.stringify(before) === JSON.stringify(status)) return
    const target = { ...ref, name, ...(namespace !== '' && { namespace }), subresource: 'status' }
    await this.#deps.client.patch(target, 'merge', { status }).catch(ignoring('NotFound'))
  }
}

const keyOf = ({ port, protocol }: { readonly port: number; readonly protocol: string }) => `${port} ${protocol}`

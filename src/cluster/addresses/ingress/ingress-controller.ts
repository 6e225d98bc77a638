import type { Server } from 'node:http'
import type { Logger } from '../../../base/logger.ts'
import { inTurns } from '../../../base/steps.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import { listObjects, readObject } from '../../../resources/read-objects.ts'
import { INGRESS_CLASSES, INGRESSES } from '../../../resources/refs.ts'
import type { Ingress } from '../../../resources/types/networking.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { type EventRecorder, referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { DialServiceDeps } from '../dial-service.ts'
import { listenNear } from '../proxy/listen-near.ts'
import { IngressCertificates } from './ingress-certificates.ts'
import { IngressRules } from './ingress-rules.ts'
import { createIngressServer } from './ingress-server.ts'

/** `spec.controller` of the IngressClasses that this controller serves. */
export const INGRESS_CONTROLLER = 'bowsprit.dev/ingress'
/** Where Ingresses are served, if these are free. */
const HTTP_PORT = 22_080
const HTTPS_PORT = 22_443
const HOST = '127.0.0.1'

export interface IngressControllerDeps extends DialServiceDeps {
  /** May patch the status of Ingresses. */
  readonly client: Client
  readonly recorder: EventRecorder
  readonly log: Logger
}

/**
 * Serves Ingresses on a port of this machine, those with `tls` also on a second one over HTTPS, and writes the address into their status:
 * those without a class, and those whose IngressClass names this controller.
 */
export class IngressController implements AsyncDisposable {
  readonly #deps: IngressControllerDeps
  readonly #server: Server
  readonly #secure: Server
  #rules: Promise<IngressRules> | undefined
  #port: Promise<number> | undefined
  #securePort: Promise<number> | undefined
  #reports: Promise<void> = Promise.resolve()
  #isReportDue = false

  constructor(deps: IngressControllerDeps) {
    this.#deps = deps
    const certificates = new IngressCertificates({ reader: deps.reader, served: () => this.#served() })
    const rules = () => this.#current()
    this.#server = createIngressServer({ ...deps, rules })
    this.#secure = createIngressServer({ ...deps, rules, certificateOf: (host) => certificates.of(host) })
  }

  /** After an Ingress or an IngressClass has changed: rules are read again with the next request, the status now. */
  changed(): void {
    this.#rules = undefined
    // One report is of all Ingresses.
    if (this.#isReportDue) return
    this.#isReportDue = true
    this.#reports = this.#reports
      .then(() => this.#report())
      .catch((error: unknown) => this.#deps.log.warn('the status of an Ingress could not be written', { error }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reports
    for (const server of [this.#server, this.#secure]) {
      server.closeAllConnections()
      server.close()
    }
  }

  #current(): Promise<IngressRules> {
    this.#rules ??= inTurns(IngressRules.of(this.#served()))
    return this.#rules
  }

  #served(): readonly Ingress[] {
    const { reader } = this.#deps
    return listObjects(reader, INGRESSES).filter(({ spec, metadata }) => {
      const name = spec?.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class']
      return name === undefined || readObject(reader, INGRESS_CLASSES, '', name)?.spec?.controller === INGRESS_CONTROLLER
    })
  }

  async #report(): Promise<void> {
    this.#isReportDue = false
    const served = this.#served()
    if (served.length === 0) return
    this.#port ??= listenNear(this.#server, HOST, [HTTP_PORT, 0])
    if (served.some(hasTls)) this.#securePort ??= listenNear(this.#secure, HOST, [HTTPS_PORT, 0])
    const port = await this.#port
    const securePort = await this.#securePort
    for (const ingress of served) {
      const secure = hasTls(ingress) && securePort !== undefined ? [securePort] : []
      const ports = [port, ...secure].map((open) => ({ port: open, protocol: 'TCP' as const }))
      const status = { loadBalancer: { ingress: [{ ip: HOST, ports }] } }
      if (JSON.stringify(ingress.status) === JSON.stringify(status)) continue
      const { name = '', namespace = '' } = ingress.metadata
      await this.#deps.client
        .patch({ ...INGRESSES, namespace, name, subresource: 'status' }, 'merge', { status })
        .catch(ignoring('NotFound'))
      this.#deps.recorder.record({
        regarding: referenceTo(ingress),
        type: 'Normal',
        reason: 'Served',
        message: messageOf(ingress, port, secure[0]),
      })
    }
  }
}

const hasTls = ({ spec }: Ingress): boolean => (spec?.tls ?? []).length > 0

function messageOf({ spec }: Ingress, port: number, securePort: number | undefined): string {
  const host = (spec?.rules?.[0]?.host ?? 'localhost').replace(/^\*/, 'any')
  const secure = securePort === undefined ? '' : ` and https://${host}:${securePort}/`
  return `http://${host}:${port}/${secure} on this machine`
}

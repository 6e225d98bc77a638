import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { httpHeaderName, ianaServiceName, portNumber } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateNonNegative } from '../../checks.ts'
import { enumOf } from '../../enumerations.ts'
import type { Container, Handler, Probe } from '../types.ts'

/** Validates the probes and hooks of containers that may have them. */
export function validateProbesAndHooks(container: Container, graceSeconds: number | undefined, path: string): FieldError[] {
  const { lifecycle } = container
  return [
    ...(lifecycle?.postStart ? validateHandler(lifecycle.postStart, graceSeconds, child(path, 'lifecycle', 'postStart')) : []),
    ...(lifecycle?.preStop ? validateHandler(lifecycle.preStop, graceSeconds, child(path, 'lifecycle', 'preStop')) : []),
    ...validateProbe(container.livenessProbe, child(path, 'livenessProbe'), 'once'),
    ...validateProbe(container.readinessProbe, child(path, 'readinessProbe'), 'often'),
    ...validateProbe(container.startupProbe, child(path, 'startupProbe'), 'once'),
  ]
}

function validateProbe(probe: Probe | undefined, path: string, success: 'once' | 'often'): FieldError[] {
  if (!probe) return []
  const faults = validateHandler(probe, undefined, path)
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const)
    faults.push(...validateNonNegative(probe[field] ?? 0, child(path, field)))
  const grace = probe.terminationGracePeriodSeconds
  if (grace !== undefined && grace <= 0) faults.push(invalid(child(path, 'terminationGracePeriodSeconds'), grace, 'must be greater than 0'))
  if (success === 'once' && probe.successThreshold !== 1)
    faults.push(invalid(child(path, 'successThreshold'), probe.successThreshold ?? 0, 'must be 1'))
  if (success === 'often' && grace !== undefined)
    faults.push(invalid(child(path, 'terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes'))
  return faults
}

function validateHandler(handler: Handler, graceSeconds: number | undefined, path: string): FieldError[] {
  const faults: FieldError[] = []
  let handlers = 0
  const one = (field: keyof Handler, check: (path: string) => FieldError[]) => {
    if (handler[field] === undefined) return
    if (handlers > 0) faults.push(forbidden(child(path, field), 'may not specify more than 1 handler type'))
    else faults.push(...check(child(path, field)))
    handlers++
  }
  one('exec', (at) => ((handler.exec?.command ?? []).length === 0 ? [required(child(at, 'command'))] : []))
  one('httpGet', (at) => validateHttpGet(handler.httpGet ?? {}, at))
  one('tcpSocket', (at) => validatePortOrName(handler.tcpSocket?.port ?? 0, child(at, 'port')))
  one('grpc', (at) => validatePortOrName(handler.grpc?.port ?? 0, child(at, 'port')))
  one('sleep', (at) => validateSleep(handler.sleep?.seconds ?? 0, graceSeconds, at))
  if (handlers === 0) faults.push(required(path, 'must specify a handler type'))
  return faults
}

function validateHttpGet(http: NonNullable<Handler['httpGet']>, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!http.path) faults.push(required(child(path, 'path')))
  faults.push(...validatePortOrName(http.port ?? 0, child(path, 'port')))
  if (http.scheme !== 'HTTP' && http.scheme !== 'HTTPS')
    faults.push(notSupported(child(path, 'scheme'), http.scheme ?? '', enumOf('core_v1.URIScheme')))
  return [
    ...faults,
    ...faultsOfEach(http.httpHeaders, (header) =>
      httpHeaderName(header.name ?? '').map((text) => invalid(child(path, 'httpHeaders'), header.name ?? '', text)),
    ),
  ]
}

function validateSleep(seconds: number, graceSeconds: number | undefined, path: string): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return []
  return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)]
}

/** A port by number, or by the name of a container's port. */
export function validatePortOrName(port: number | string, path: string): FieldError[] {
  const texts = typeof port === 'string' ? ianaServiceName(port) : portNumber(port)
  return texts.map((text) => invalid(path, port, text))
}

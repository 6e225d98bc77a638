import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { specOf } from './service-fields.ts'

const TENTATIVE_MS = 30_000

interface Claim {
  /** The service: `namespace/name`. */
  readonly owner: string
  readonly madeAt: number
  /** Chosen for a request that may still fail; forgotten after a while. */
  readonly tentative: boolean
}

/** Node ports and addresses that were given to services whose commit the cache may not show yet. */
export class Claims {
  readonly #claims = new Map<string, Claim>()

  claim(what: string, owner: string, now: number, tentative: boolean): void {
    this.#claims.set(what, { owner, madeAt: now, tentative })
  }

  release(what: string, owner: string): void {
    if (this.#claims.get(what)?.owner === owner) this.#claims.delete(what)
  }

  /** Whether somebody else holds it. A claim whose service never came ends by itself. */
  holds(what: string, owner: string, now: number, tentativeCounts = true): boolean {
    const claim = this.#claims.get(what)
    if (claim === undefined || claim.owner === owner) return false
    if (now - claim.madeAt < TENTATIVE_MS) return tentativeCounts || !claim.tentative
    this.#claims.delete(what)
    return false
  }
}

const claimsOf = new WeakMap<Reader, Claims>()

/** The claims of the server whose cache this is. */
export function claimsFor(reader: Reader): Claims {
  const known = claimsOf.get(reader)
  if (known) return known
  const made = new Claims()
  claimsOf.set(reader, made)
  return made
}

export const ownerOf = (service: KubeObject): string => `${service.metadata.namespace ?? ''}/${service.metadata.name ?? ''}`

/** Every node port in use, health checks included. */
export function usedNodePorts(reader: Reader, except: string): Set<number> {
  const used = new Set<number>()
  for (const service of reader.list('', 'services')) {
    if (ownerOf(service) === except) continue
    const spec = specOf(service)
    for (const port of spec.ports ?? []) if (port.nodePort) used.add(port.nodePort)
    if (spec.healthCheckNodePort) used.add(spec.healthCheckNodePort)
  }
  return used
}

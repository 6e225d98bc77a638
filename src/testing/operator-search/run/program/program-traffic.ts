import type { Duplex } from 'node:stream'
import type { ApiCall, Target } from '../../../../machinery/api-call.ts'
import type { OperatorCall } from '../../history.ts'
import { resourceKey } from '../operator-seam.ts'

/** What has passed between a program and its cluster, as far as it shows whether the program waits for something. */
export class ProgramTraffic {
  /** How many requests, responses and events have passed. */
  passed = 0
  /** How many writes have been answered. */
  written = 0
  /** Requests without a response. */
  underway = 0
  /** Open streams of commands and ports. */
  streams = 0
  /** Whether the program has listed or watched anything. */
  looked = false
  /** How many of its last writes failed, one after the other: it will try again. */
  failures = 0
  /** Its leases. */
  leases = new Map<string, Target>()
  /** Resources whose watches were ended, until they are watched again. */
  readonly #missed = new Set<string>()

  /** Whether it has yet to list again what it has missed. */
  get behind(): boolean {
    return this.#missed.size > 0
  }

  began(): void {
    this.underway++
    this.passed++
  }

  ended(): void {
    this.underway--
    this.passed++
  }

  opens(stream: Duplex): void {
    this.streams++
    this.passed++
    stream.on('close', () => {
      this.streams--
      this.passed++
    })
  }

  calls({ verb, target }: ApiCall): void {
    const key = resourceKey(target)
    if (target.resource === 'leases' && target.name !== undefined) this.leases.set(`${target.namespace}/${target.name}`, target)
    if (verb !== 'list' && verb !== 'watch') return
    this.looked ||= target.resource !== 'leases'
    if (verb === 'watch') this.#missed.delete(key)
  }

  answered({ writes, verb }: OperatorCall, code: number): void {
    // What is there already, or gone already, is mostly what was wanted.
    if (writes) this.written++
    const vain = (verb === 'create' && code === 409) || (verb === 'delete' && code === 404)
    if (writes) this.failures = code >= 400 && !vain ? this.failures + 1 : 0
  }

  misses(target: Target): void {
    this.#missed.add(resourceKey(target))
  }
}

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import os from 'node:os'

/** The flags that determine the address. */
export interface AdvertiseConfig {
  /** `--advertise-address` */
  readonly advertise: string | undefined
  /** `--bind-address` */
  readonly host: string
}

/**
 * The address that a server advertises: the given one, or the one on which it listens, or (if it listens on all addresses or on loopback)
 * that of the interface with the default route, of the family of the address on which it listens. Undefined: this machine has none.
 */
export function advertisedAddress({ advertise, host }: AdvertiseConfig, machine: Machine = thisMachine): string | undefined {
  if (advertise !== undefined && !ANY.has(advertise)) return advertise
  if (!ANY.has(host) && !isLoopback(host) && isIP(host) !== 0) return host
  return machine.address(host.includes(':') ? 'IPv6' : 'IPv4')
}

/** Whether Kubernetes allows the address in Endpoints. */
export const canBeEndpoint = (ip: string): boolean => !isLoopback(ip) && !isLinkLocal(ip) && !ANY.has(ip)

const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
const isLoopback = (ip: string) => /^127\./.test(ip) || ip === '::1' || ip === 'localhost'
const isLinkLocal = (ip: string) => /^169\.254\./.test(ip) || /^fe[89ab][0-9a-f]:/i.test(ip)

/** The machine on which a server runs. */
export interface Machine {
  /** Its own address towards other machines, of this family if it has one. */
  address(family: 'IPv4' | 'IPv6'): string | undefined
}

const thisMachine: Machine = {
  address(family) {
    const usable = Object.entries(os.networkInterfaces()).flatMap(([name, addresses = []]) =>
      addresses.filter((a) => !a.internal && !isLinkLocal(a.address)).map((a) => ({ name, family: a.family, address: a.address })),
    )
    const own = usable.filter((one) => one.family === family)
    const route = defaultInterface(routes())
    return (own.find(({ name }) => name === route) ?? own[0] ?? usable[0])?.address
  },
}

/** Linux' routing table; empty on other systems. */
function routes(): string {
  try {
    return readFileSync('/proc/net/route', 'latin1')
  } catch {
    return ''
  }
}

/** The interface of the default route: its destination is all zeros. */
export function defaultInterface(table: string): string | undefined {
  return table
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000')?.[0]
}

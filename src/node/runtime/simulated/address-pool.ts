import { RuntimeError } from '../runtime-error.ts'

/** The addresses of one /24 (`10.244.3`), allocated round robin. */
export interface AddressPool {
  take(): string
  /** Reserves an address that is in use already. */
  claim(ip: string): void
  give(ip: string): void
}

export function createAddressPool(prefix: string): AddressPool {
  const used = new Set<string>()
  let last = 1
  return {
    take() {
      for (let tries = 0; tries < 253; tries++) {
        last = last >= 254 ? 2 : last + 1
        const ip = `${prefix}.${last}`
        if (used.has(ip)) continue
        used.add(ip)
        return ip
      }
      throw new RuntimeError('runtime', `no address is left in ${prefix}.0/24`)
    },
    claim: (ip) => {
      used.add(ip)
    },
    give: (ip) => {
      used.delete(ip)
    },
  }
}

import { RuntimeError } from '../runtime-error.ts'

/** The addresses of one node's pods: each pod has one of each subnet, with the same number. Allocated round robin. */
export interface AddressPool {
  take(): readonly string[]
  /** Reserves addresses that are in use already. */
  claim(ips: readonly string[]): void
  give(ips: readonly string[]): void
}

/** `subnets`: what the addresses begin with, one of each family: `10.244.3.`, `fd00:10:244:3::`. */
export function createAddressPool(subnets: readonly string[]): AddressPool {
  const used = new Set<string>()
  let last = 1
  return {
    take() {
      for (let tries = 0; tries < 253; tries++) {
        last = last >= 254 ? 2 : last + 1
        const ips = subnets.map((subnet) => addressIn(subnet, last))
        if (ips.some((ip) => used.has(ip))) continue
        for (const ip of ips) used.add(ip)
        return ips
      }
      throw new RuntimeError('runtime', `no address is left in ${subnets.join(', ')}`)
    },
    claim: (ips) => {
      for (const ip of ips) used.add(ip)
    },
    give: (ips) => {
      for (const ip of ips) used.delete(ip)
    },
  }
}

const addressIn = (subnet: string, number: number) => `${subnet}${number.toString(subnet.includes(':') ? 16 : 10)}`
